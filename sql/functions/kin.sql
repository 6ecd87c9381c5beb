-- The other names of the relatives and pets that a question speaks of.
--
-- People say 我爸 or "my dad"; what they have told is kept under 父亲 or "father". One line
-- of the table is one relation, and a word may be in several: parents are a father and a
-- mother. A user's own names belong in entity_aliases.
create function aimemory.kin(called text[])
returns text[]
language sql immutable parallel safe
return array(
    select distinct n.name
      from (values
               (array['父亲', '爸爸', '老爸', '我爸', '老爹', '父母', '爸妈', '双亲',
                      'father', 'dad', 'daddy', 'papa', 'parents']),
               (array['母亲', '妈妈', '老妈', '我妈', '父母', '爸妈', '双亲',
                      'mother', 'mom', 'mommy', 'mum', 'mummy', 'parents']),
               (array['丈夫', '老公', 'husband']),
               (array['妻子', '老婆', '媳妇', '太太', 'wife']),
               (array['男朋友', '男友', 'boyfriend']),
               (array['女朋友', '女友', 'girlfriend']),
               (array['儿子', 'son']),
               (array['女儿', '闺女', 'daughter']),
               (array['孩子', '小孩', '宝宝', 'child', 'children', 'kid', 'kids', 'baby']),
               (array['哥哥', '大哥', '我哥', 'brother']),
               (array['弟弟', '我弟', 'brother']),
               (array['姐姐', '大姐', '我姐', 'sister']),
               (array['妹妹', '我妹', 'sister']),
               (array['爷爷', '祖父', 'grandfather', 'grandpa', 'granddad']),
               (array['外公', '姥爷', '外祖父', 'grandfather', 'grandpa', 'granddad']),
               (array['奶奶', '祖母', 'grandmother', 'grandma', 'granny']),
               (array['外婆', '姥姥', '外祖母', 'grandmother', 'grandma', 'granny']),
               (array['猫', '猫咪', 'cat', 'cats', 'kitten']),
               (array['狗', '狗狗', 'dog', 'dogs', 'puppy'])
           ) k(names)
     cross join lateral unnest(k.names) as n(name)
     where k.names && called and not n.name = any (called));

comment on function aimemory.kin is
    'Other names of the relatives and pets among these names: 我爸 is also 父亲 and father.';
