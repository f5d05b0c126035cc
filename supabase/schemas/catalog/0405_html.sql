-- HTML that callers send, reduced to a list of allowed elements. It is done here and not in the functions, because texts
-- also arrive from supabase-js and from anyone who calls a function of `public`. Whatever is sent, the result consists of
-- the tags below, each written anew and closed, with checked attributes, and of escaped text.

-- functions ------------------------------------------------------------------------------------

create function private.html_elements() returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  -- block: begins a line of the plain text. part: the same, and only inside a table. hidden: left out with its content.
  -- as div: replaced by a div, so that its line stays. Tags of other elements are left out, and their text stays.
  return jsonb '{
    "address": "as div", "article": "as div", "aside": "as div", "blockquote": "block", "center": "as div", "dd": "block",
    "details": "block", "div": "block", "dl": "block", "dt": "block", "fieldset": "as div", "figcaption": "block",
    "figure": "block", "footer": "as div", "form": "as div", "h1": "block", "h2": "block", "h3": "block", "h4": "block",
    "h5": "block", "h6": "block", "header": "as div", "hr": "void", "li": "block", "main": "as div", "nav": "as div",
    "ol": "block", "p": "block", "pre": "block", "section": "as div", "summary": "block", "table": "block", "ul": "block",
    "caption": "part", "tbody": "part", "td": "part", "tfoot": "part", "th": "part", "thead": "part", "tr": "part",
    "a": "inline", "abbr": "inline", "b": "inline", "bdi": "inline", "cite": "inline", "code": "inline", "del": "inline",
    "em": "inline", "i": "inline", "ins": "inline", "kbd": "inline", "mark": "inline", "q": "inline", "s": "inline",
    "samp": "inline", "small": "inline", "strike": "as s", "strong": "inline", "sub": "inline", "sup": "inline",
    "u": "inline", "var": "inline",
    "br": "void", "img": "void", "wbr": "void",
    "applet": "hidden", "audio": "hidden", "canvas": "hidden", "datalist": "hidden", "map": "hidden", "math": "hidden",
    "object": "hidden", "select": "hidden", "svg": "hidden", "template": "hidden", "video": "hidden"
  }';
end
$$;
comment on function private.html_elements is 'The elements of HTML that a text may have, and how others are replaced.';

create function private.named_character(name text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  -- The names of HTML 4, and those of HTML 5 that editors write.
  return jsonb '{
    "AMP":"&", "COPY":"©", "GT":">", "LT":"<", "QUOT":"\u0022", "REG":"®", "TRADE":"™", "bullet":"•",
    "AElig":"Æ", "Aacute":"Á", "Acirc":"Â", "Agrave":"À", "Alpha":"Α", "Aring":"Å", "Atilde":"Ã", "Auml":"Ä", "Beta":"Β",
    "Ccedil":"Ç", "Chi":"Χ", "Dagger":"‡", "Delta":"Δ", "ETH":"Ð", "Eacute":"É", "Ecirc":"Ê", "Egrave":"È", "Epsilon":"Ε",
    "Eta":"Η", "Euml":"Ë", "Gamma":"Γ", "Hat":"^", "Iacute":"Í", "Icirc":"Î", "Igrave":"Ì", "Iota":"Ι", "Iuml":"Ï",
    "Kappa":"Κ", "Lambda":"Λ", "Mu":"Μ", "NewLine":"\u000a", "Ntilde":"Ñ", "Nu":"Ν", "OElig":"Œ", "Oacute":"Ó",
    "Ocirc":"Ô", "Ograve":"Ò", "Omega":"Ω", "Omicron":"Ο", "Oslash":"Ø", "Otilde":"Õ", "Ouml":"Ö", "Phi":"Φ", "Pi":"Π",
    "Prime":"″", "Psi":"Ψ", "Rho":"Ρ", "Scaron":"Š", "Sigma":"Σ", "THORN":"Þ", "Tab":"\u0009", "Tau":"Τ", "Theta":"Θ",
    "Uacute":"Ú", "Ucirc":"Û", "Ugrave":"Ù", "Upsilon":"Υ", "Uuml":"Ü", "Xi":"Ξ", "Yacute":"Ý", "Yuml":"Ÿ", "Zeta":"Ζ",
    "aacute":"á", "acirc":"â", "acute":"´", "aelig":"æ", "agrave":"à", "alefsym":"ℵ", "alpha":"α", "amp":"&", "and":"∧",
    "ang":"∠", "apos":"''", "aring":"å", "ast":"*", "asymp":"≈", "atilde":"ã", "auml":"ä", "bdquo":"„", "beta":"β",
    "bigstar":"★", "blank":"␣", "brvbar":"¦", "bsol":"\u005c", "bull":"•", "cap":"∩", "ccedil":"ç", "cedil":"¸",
    "cent":"¢", "check":"✓", "checkmark":"✓", "chi":"χ", "circ":"ˆ", "clubs":"♣", "colon":":", "comma":",", "commat":"@",
    "cong":"≅", "copy":"©", "copysr":"℗", "crarr":"↵", "cross":"✗", "cup":"∪", "curren":"¤", "dArr":"⇓", "dagger":"†",
    "darr":"↓", "dash":"‐", "deg":"°", "delta":"δ", "diams":"♦", "divide":"÷", "dollar":"$", "eacute":"é", "ecirc":"ê",
    "egrave":"è", "empty":"∅", "emsp":"\u2003", "ensp":"\u2002", "epsilon":"ε", "equals":"=", "equiv":"≡", "eta":"η",
    "eth":"ð", "euml":"ë", "euro":"€", "excl":"!", "exist":"∃", "female":"♀", "fnof":"ƒ", "forall":"∀", "frac12":"½",
    "frac13":"⅓", "frac14":"¼", "frac18":"⅛", "frac23":"⅔", "frac34":"¾", "frac38":"⅜", "frac58":"⅝", "frac78":"⅞",
    "frasl":"⁄", "gamma":"γ", "ge":"≥", "grave":"`", "gt":">", "hArr":"⇔", "hairsp":"\u200a", "half":"½", "harr":"↔",
    "hearts":"♥", "hellip":"…", "hyphen":"‐", "iacute":"í", "icirc":"î", "iexcl":"¡", "igrave":"ì", "image":"ℑ",
    "infin":"∞", "int":"∫", "iota":"ι", "iquest":"¿", "isin":"∈", "iuml":"ï", "kappa":"κ", "lArr":"⇐", "lambda":"λ",
    "lang":"〈", "laquo":"«", "larr":"←", "lceil":"⌈", "lcub":"{", "ldquo":"“", "le":"≤", "lfloor":"⌊", "lowast":"∗",
    "lowbar":"_", "loz":"◊", "lpar":"(", "lrm":"\u200e", "lsaquo":"‹", "lsqb":"[", "lsquo":"‘", "lt":"<", "macr":"¯",
    "male":"♂", "mdash":"—", "micro":"µ", "middot":"·", "minus":"−", "mu":"μ", "nabla":"∇", "nbsp":"\u00a0", "ndash":"–",
    "ne":"≠", "ni":"∋", "not":"¬", "notin":"∉", "nsub":"⊄", "ntilde":"ñ", "nu":"ν", "num":"#", "numero":"№", "oacute":"ó",
    "ocirc":"ô", "oelig":"œ", "ograve":"ò", "ohm":"Ω", "oline":"‾", "omega":"ω", "omicron":"ο", "oplus":"⊕", "or":"∨",
    "ordf":"ª", "ordm":"º", "oslash":"ø", "otilde":"õ", "otimes":"⊗", "ouml":"ö", "para":"¶", "part":"∂", "percnt":"%",
    "period":".", "permil":"‰", "perp":"⊥", "phi":"φ", "phone":"☎", "pi":"π", "piv":"ϖ", "plus":"+", "plusmn":"±",
    "pound":"£", "prime":"′", "prod":"∏", "prop":"∝", "psi":"ψ", "quest":"?", "quot":"\u0022", "rArr":"⇒", "radic":"√",
    "rang":"〉", "raquo":"»", "rarr":"→", "rceil":"⌉", "rcub":"}", "rdquo":"”", "real":"ℜ", "reg":"®", "rfloor":"⌋",
    "rho":"ρ", "rlm":"\u200f", "rpar":")", "rsaquo":"›", "rsqb":"]", "rsquo":"’", "sbquo":"‚", "scaron":"š", "sdot":"⋅",
    "sect":"§", "semi":";", "shy":"\u00ad", "sigma":"σ", "sigmaf":"ς", "sim":"∼", "sol":"/", "spades":"♠", "squ":"□",
    "star":"☆", "starf":"★", "sub":"⊂", "sube":"⊆", "sum":"∑", "sup":"⊃", "sup1":"¹", "sup2":"²", "sup3":"³", "supe":"⊇",
    "szlig":"ß", "tau":"τ", "there4":"∴", "theta":"θ", "thetasym":"ϑ", "thinsp":"\u2009", "thorn":"þ", "tilde":"˜",
    "times":"×", "trade":"™", "uArr":"⇑", "uacute":"ú", "uarr":"↑", "ucirc":"û", "ugrave":"ù", "uml":"¨", "upsih":"ϒ",
    "upsilon":"υ", "uuml":"ü", "verbar":"|", "weierp":"℘", "xi":"ξ", "yacute":"ý", "yen":"¥", "yuml":"ÿ", "zeta":"ζ",
    "zwj":"\u200d", "zwnj":"\u200c"
  }' ->> name;
end
$$;
comment on function private.named_character is 'The character that HTML calls by a name, as in &nbsp;; null for an unknown name.';

create function private.referenced_character(reference text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  code integer;
begin
  if left(reference, 1) <> '#' then
    return private.named_character(reference);
  elsif reference ~ '^#[0-9]{1,7}$' then
    code := substr(reference, 2)::integer;
  elsif reference ~* '^#x[0-9a-f]{1,6}$' then
    code := ('x' || lpad(substr(reference, 3), 8, '0'))::bit(32)::integer;
  end if;
  return case
    -- Browsers read these numbers as Windows-1252, which older editors mean.
    when code between 128 and 159 then substr('€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ', code - 127, 1)
    when code = 13 then chr(10)
    when code in (9, 10) then chr(code)
    when code < 32 or code = 127 or code between 55296 and 57343 or code > 1114111 then chr(65533)
    else chr(code)
  end;
end
$$;
comment on function private.referenced_character is
  'The character that a reference such as amp or #8211 stands for; null for an unknown name.';

-- The functions below use few regular expressions: Postgres keeps 32 compiled ones in a session, and compiling takes
-- longer than all of this. With 14 of them, an import compiled all of its own again for each product, and took half as long
-- again.

create function private.without_references(encoded text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  pieces text[] := string_to_array(encoded, '&');
  written text[] := pieces[:1];
  ending integer;
  found text;
begin
  for i in 2..cardinality(pieces) loop
    ending := strpos(left(pieces[i], 33), ';');
    found := case when ending > 1 then private.referenced_character(left(pieces[i], ending - 1)) end;
    written := array_append(
      written, case when found is null then '&' || pieces[i] else found || substr(pieces[i], ending + 1) end
    );
  end loop;
  return array_to_string(written, '');
end
$$;
comment on function private.without_references is 'A text of HTML with characters in place of its references.';

create function private.is_html(words text) returns boolean
language plpgsql immutable strict set search_path = ''
as $$
declare
  names constant text :=
    '(?:a|abbr|address|applet|area|article|aside|audio|b|base|bdi|bdo|big|blockquote|body|br|button|canvas|caption|center|cite|'
    'code|col|colgroup|dd|del|details|dfn|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|frame|frameset|h[1-6]|head|'
    'header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|map|mark|math|meta|nav|noscript|object|ol|optgroup|option|p|'
    'picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|'
    'template|textarea|tfoot|th|thead|title|tr|tt|u|ul|var|video|wbr)';
  -- Attributes that are written without a value.
  flags constant text := '(?:[\s/]+(?:allowfullscreen|alt|async|autoplay|checked|compact|controls|defer|disabled|hidden|loop|muted|'
    'noshade|novalidate|nowrap|open|readonly|required|reversed|selected))';
begin
  return strpos(words, '<') > 0 and words ~* (
      '</?' || names || flags || '*\s*/?>|<' || names || flags || '*[\s/]+[a-z:@_][\w:@.-]*\s*=|<!--|<!doctype\s'
    )
    or strpos(words, '&') > 0 and exists (
      select
      from regexp_matches(words, '&(#?[0-9A-Za-z]{1,32});', 'g') as reference
      where private.referenced_character(reference[1]) is not null
    );
end
$$;
comment on function private.is_html is
  'Whether a text is HTML: it has a tag of an element of HTML, alone or with an attribute that has a value, a comment, or a reference to a character such as &amp;. So "a < b", "x <3 y" and "AT&T" are plain text.';

create function private.safe_address(address text, schemes text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  trimmed text := replace(btrim(private.without_references(address), E' \t\r\n'), ' ', '%20');
begin
  -- An address without a scheme, as many shops write those of their pictures.
  if left(trimmed, 2) = '//' then
    trimmed := 'https:' || trimmed;
  end if;
  -- Browsers drop some characters from an address or turn them into slashes, so that it leads elsewhere. A name before
  -- the host, as in https://bank.example@elsewhere.example, misleads readers.
  return case
    when char_length(trimmed) > 2000 or trimmed ~ '[[:cntrl:][:space:]\\]' then null
    when trimmed ~* ('^(?:https?://[^/?#@]+(?:[/?#]|$)|' || schemes || '/(?:[^/]|$)|[?#]|[[:alnum:]._~%-]+(?:[/?#]|$))')
      then trimmed
  end;
end
$$;
comment on function private.safe_address is
  'An address of HTML that a link or a picture may have: http, https, relative, or one of the schemes; else null.';

create function private.kept_attribute(element text, name text, value text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return case
    when name = 'href' and element = 'a' then private.safe_address(value, '(?:mailto|tel):[^:]+$|')
    when name = 'src' and element = 'img' then private.safe_address(value, '')
    when name = 'title' and element in ('a', 'abbr', 'img') or name = 'alt' and element = 'img'
      then private.without_references(value)
    when name in ('width', 'height') and element = 'img' then substring(value from '^[1-9][0-9]{0,3}$')
    when name in ('colspan', 'rowspan') and element in ('td', 'th') then substring(value from '^[1-9][0-9]{0,2}$')
    when name = 'scope' and element = 'th' and lower(value) in ('row', 'col', 'rowgroup', 'colgroup') then lower(value)
    when name = 'start' and element = 'ol' then substring(value from '^-?[0-9]{1,6}$')
    when name = 'type' and element = 'ol' and value in ('1', 'a', 'A', 'i', 'I') then value
    when name = 'dir' and lower(value) in ('ltr', 'rtl', 'auto') then lower(value)
    when name = 'lang' then substring(value from '^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$')
  end;
end
$$;
comment on function private.kept_attribute is 'The value of an attribute that an element may have; else null.';

create function private.kept_attributes(element text, tag text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  kept text := '';
  given text[];
  value text;
begin
  if strpos(tag, '=') > 0 then
    for given in
      -- {1,8}: longer than the longest name below. Without a bound, Postgres would read a long word once for each of its
      -- characters.
      select regexp_matches(tag, '([^\s"''<>/=]{1,8})\s*=\s*("[^"]*"|''[^'']*''|[^\s"''>]+)', 'g')
    loop
      given[1] := lower(given[1]);
      value := case
        when left(given[2], 1) in ('"', '''') then substr(given[2], 2, char_length(given[2]) - 2) else given[2]
      end;
      value := normalize(translate(private.kept_attribute(element, given[1], value), E'\n\t', '  '), nfc);
      if value is not null and strpos(kept, ' ' || given[1] || '="') = 0 then
        kept := kept || ' ' || given[1] || '="' || replace(private.escaped_html(value), '"', '&quot;') || '"';
      end if;
    end loop;
  end if;
  return case
    when element = 'a' and strpos(kept, ' href="') = 0 or element = 'img' and strpos(kept, ' src="') = 0 then null
    else kept
  end;
end
$$;
comment on function private.kept_attributes is
  'The attributes of a tag that its element may have, with checked and escaped values; null for a link or a picture without an allowed address.';

create function private.escaped_html(words text) returns text
language sql immutable
return replace(replace(replace(words, '&', '&amp;'), '<', '&lt;'), '>', '&gt;');
comment on function private.escaped_html is 'A text as HTML.';

create function private.without_controls(words text) returns text
language sql immutable
return translate(
  words,
  E'\u000c\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\u000b\u000d\u000e\u000f\u0010\u0011\u0012\u0013'
  '\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f\u007f',
  ' '
);
comment on function private.without_controls is
  'A text with a blank for each form feed, and without other control characters than tabs and line feeds.';

create function private.without_comments(source text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  folded text := lower(source);
begin
  if strpos(source, '<!') + strpos(source, '<?') + strpos(folded, '<script') + strpos(folded, '<style')
    + strpos(folded, '<title') + strpos(folded, '<textarea') + strpos(folded, '<iframe') + strpos(folded, '<no')
    + strpos(folded, '<xmp') + strpos(folded, '<plaintext') = 0
  then
    return source;
  end if;
  -- {1,1}? makes each match as short as possible.
  return regexp_replace(
    source,
    '(?:<!--(?:-?>|.*?(?:--!?>|$))|<!(?!--).*?(?:>|$)|<\?.*?(?:>|$)|<script[\s/>].*?(?:</script.*?>|$)'
    '|<style[\s/>].*?(?:</style.*?>|$)|<title[\s/>].*?(?:</title.*?>|$)|<textarea[\s/>].*?(?:</textarea.*?>|$)'
    '|<iframe[\s/>].*?(?:</iframe.*?>|$)|<noscript[\s/>].*?(?:</noscript.*?>|$)|<noembed[\s/>].*?(?:</noembed.*?>|$)'
    '|<noframes[\s/>].*?(?:</noframes.*?>|$)|<xmp[\s/>].*?(?:</xmp.*?>|$)|<plaintext[\s/>].*?$){1,1}?',
    '', 'gi'
  );
end
$$;
comment on function private.without_comments is
  'HTML without comments and declarations, and without elements whose content is no HTML, such as scripts and styles.';

create function private.last_open(open text[], wanted text[], barriers text[]) returns integer
language plpgsql immutable set search_path = ''
as $$
begin
  for i in reverse cardinality(open)..1 loop
    if open[i] = any (wanted) then
      return i;
    elsif open[i] = any (barriers) then
      return 0;
    end if;
  end loop;
  return 0;
end
$$;
comment on function private.last_open is 'The position of the last wanted element among open ones, 0 if a barrier or nothing comes first.';

create function private.ended_by(name text, kind text, is_end boolean, open text[]) returns integer
language plpgsql immutable set search_path = ''
as $$
begin
  return coalesce(nullif(case
    when is_end and (kind = 'part' or name = 'table') then private.last_open(open, array[name], array['table'])
    when is_end then private.last_open(open, array[name], array['td', 'th', 'caption'])
    when name = 'li' then private.last_open(open, array['li'], array['ul', 'ol', 'table', 'td', 'th'])
    when name in ('dt', 'dd') then private.last_open(open, array['dt', 'dd'], array['dl', 'table', 'td', 'th'])
    when name in ('td', 'th') then private.last_open(open, array['td', 'th', 'caption'], array['tr', 'table'])
    when name = 'tr' then private.last_open(open, array['tr', 'caption'], array['table'])
    when kind = 'part' then private.last_open(open, array['thead', 'tbody', 'tfoot', 'caption'], array['table'])
    when name = 'a' then private.last_open(open, array['a'], array['td', 'th', 'caption'])
    when 'p' = any (open) then private.last_open(open, array['p'], array['td', 'th', 'caption', 'table'])
  end, 0), cardinality(open) + 1);
end
$$;
comment on function private.ended_by is
  'The position of the first open element that a tag ends, with all after it; beyond the last if it ends none. Start tags end what HTML lets writers leave open.';

create function private.read_tag(
  pieces text[], first integer, out words text, out name text, out ending integer, out last integer
)
language plpgsql immutable set search_path = ''
as $$
declare
  -- What is before the > of a tag, except for a value whose quote has no end yet.
  outside constant text := '^(?:[^>=]|=\s*"[^"]*"|=\s*''[^'']*''|=(?!\s*["'']))*';
  tag constant text := outside || '>';
  unended_value constant text := outside || '=\s*("[^"]*|''[^'']*)$';
  read text[] := '{}'::text[]; -- Before rest.
  rest text := pieces[first];
  quote text;
  ended integer;
begin
  ending := strpos(rest, '>');
  if ending = 0 or strpos(left(rest, ending), '=') > 0 then
    ending := null;
    for i in first..cardinality(pieces) loop
      last := i;
      if i > first then
        read := array_append(read, rest || '<');
        rest := pieces[i];
      end if;
      if quote is not null then
        ended := strpos(rest, quote);
        continue when ended = 0;
        read := array_append(read, left(rest, ended));
        rest := substr(rest, ended + 1);
        quote := null;
      end if;
      ending := char_length(substring(rest from tag));
      exit when ending > 0;
      quote := left(substring(rest from unended_value), 1);
    end loop;
    words := array_to_string(read, '');
    ending := char_length(words) + ending;
    words := words || rest;
    if ending is null then
      -- A value without an end would be all that follows, as it is in browsers. Here the first > ends its tag.
      last := first;
      while last < cardinality(pieces) and strpos(pieces[last], '>') = 0 loop
        last := last + 1;
      end loop;
      words := array_to_string(pieces[first:last], '<');
      ending := nullif(strpos(words, '>'), 0);
    end if;
  else
    words := rest;
    last := first;
  end if;
  name := left(words, ending - 1);
  name := case when left(name, 1) = '/' then substr(name, 2) else name end;
  name := lower(split_part(translate(name, E'/>\t\n', '    '), ' ', 1));
end
$$;
comment on function private.read_tag is
  'A tag of HTML without its <, with the words after it, from pieces that were separated by <: its name, the position of its >, null if it has none, and the last of its pieces.';

create function private.html_of_words(words text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if strpos(words, '&') + strpos(words, '<') + strpos(words, '>') = 0 and octet_length(words) = char_length(words) then
    return words;
  end if;
  -- NFC makes one character of > and U+0338. The tag before it would not end, and words would be attributes.
  return replace(private.escaped_html(private.nfc(private.without_references(words))), E'\u0338', '&#824;');
end
$$;
comment on function private.html_of_words is 'Words between tags, which may have references, as HTML.';

create function private.hidden_after(hidden text[], name text, is_end boolean, is_alone boolean) returns text[]
language plpgsql immutable set search_path = ''
as $$
begin
  return case
    when is_end and hidden[1] = name then hidden[2:]
    when is_end or is_alone or hidden[1] <> name or cardinality(hidden) >= 100 then hidden
    else array_append(hidden, name)
  end;
end
$$;
comment on function private.hidden_after is
  'The open elements whose content is left out, after a tag. All have the name of the first.';

create function private.end_tags(open text[]) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  tags text := '';
begin
  for i in 1..cardinality(open) loop
    tags := '</' || open[i] || '>' || tags;
  end loop;
  return tags;
end
$$;
comment on function private.end_tags is 'The end tags of open elements, the last first.';

create function private.reduced_html(source text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  letters constant text := '/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  elements constant jsonb := private.html_elements();
  pieces text[] := string_to_array(private.without_comments(private.without_controls(source)), '<');
  piece text;
  words text; -- The text after the tag.
  name text;
  kind text;
  ending integer; -- The position of the > of the tag.
  is_end boolean;
  last integer := 0; -- The last piece of the tag.
  ended integer; -- The first open element that the tag ends.
  open text[] := '{}'::text[];
  hidden text[] := '{}'::text[];
  written text[] := '{}'::text[];
begin
  for i in 1..cardinality(pieces) loop
    continue when i <= last;
    piece := pieces[i];
    is_end := left(piece, 1) = '/';
    kind := null;
    words := case when i = 1 then piece else '<' || piece end;
    -- Each piece but the first may begin with a tag.
    if i > 1 and piece <> '' and strpos(letters, left(piece, 1)) > 0 then
      ending := strpos(piece, '>');
      name := substr(piece, 1 + is_end::integer, greatest(ending - 1 - is_end::integer, 0));
      kind := elements ->> name;
      if kind is null then
        select t.words, t.name, t.ending, t.last into piece, name, ending, last from private.read_tag(pieces, i) as t;
        exit when ending is null;
        kind := elements ->> name;
      end if;
      words := substr(piece, ending + 1);
    end if;
    if kind like 'as %' then
      name := substr(kind, 4);
      kind := elements ->> name;
    end if;

    if kind = 'hidden' then
      hidden := private.hidden_after(hidden, name, is_end, substr(piece, ending - 1, 1) = '/');
    elsif hidden = '{}' and kind is not null and (kind <> 'part' or 'table' = any (open)) then
      ended := case -- The usual cases need no call.
        when is_end and open[cardinality(open)] = name then cardinality(open)
        when open = '{}' or not is_end and kind in ('inline', 'void') and name not in ('a', 'hr') then cardinality(open) + 1
        else private.ended_by(name, kind, is_end, open)
      end;
      if ended <= cardinality(open) then
        written := array_append(written, private.end_tags(open[ended:]));
        open := open[:ended - 1];
      end if;
      piece := case -- Elements more than 32 levels deep are left out, and their text stays.
        when is_end or kind <> 'void' and cardinality(open) >= 32 then null
        when strpos(piece, '=') between 1 and ending or name in ('a', 'img')
          then private.kept_attributes(name, left(piece, ending - 1))
        else ''
      end;
      if piece is not null then
        written := array_append(written, '<' || name || piece || '>');
        open := case when kind = 'void' then open else array_append(open, name) end;
      end if;
    end if;
    if words <> '' and hidden = '{}' then
      words := private.html_of_words(case
        when kind = 'block' and name = 'pre' and not is_end then regexp_replace(words, '^\n', '') else words
      end);
      written := array_append(written, case when 'pre' = any (open) then replace(words, E'\n', '<br>') else words end);
    end if;
  end loop;
  return private.nfc(btrim(array_to_string(written, '') || private.end_tags(open), E' \t\n'));
end
$$;
comment on function private.reduced_html is 'HTML as it may be shown in a page.';

create function private.without_repeated(words text, letter text, most integer) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  -- Each round shortens all repetitions by a third or more.
  while strpos(words, repeat(letter, most + 1)) > 0 loop
    words := replace(words, repeat(letter, most + 1), repeat(letter, most));
  end loop;
  return words;
end
$$;
comment on function private.without_repeated is 'A text in which a letter stands at most so many times in succession.';

create function private.words_of_html(html text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  words text := replace(html, '<br>', E'\u0002');
begin
  -- Reduced HTML has no < and > but those of its tags. \u0001 is the begin or the end of a block, \u0002 a line break.
  words := regexp_replace(
    words,
    '</?(?:p|div|li|[uod]l|h[1-6r]|table|caption|t(?:r|head|body|foot)|d[dt]|pre|blockquote|fig(?:ure|caption)|details'
    '|summary)(?: [^>]*)?>',
    E'\u0001', 'g'
  );
  words := regexp_replace(replace(replace(words, '<td', ' <td'), '<th', ' <th'), '<[^>]*>', '', 'g');
  words := private.without_repeated(translate(words, E'\t\n\u000c\u00a0', '    '), ' ', 1);
  words := replace(replace(words, E' \u0001', E'\u0001'), E'\u0001 ', E'\u0001');
  words := private.without_repeated(words, E'\u0001', 1);
  if strpos(words, E'\u0002') > 0 then
    words := replace(replace(words, E' \u0002', E'\u0002'), E'\u0002 ', E'\u0002');
    words := translate(replace(words, E'\u0002\u0001', E'\u0001'), E'\u0001\u0002', E'\n\n');
    words := private.without_repeated(words, E'\n', 2);
  end if;
  words := translate(words, E'\u0001', E'\n');
  words := replace(replace(replace(words, '&lt;', '<'), '&gt;', '>'), '&#824;', E'\u0338');
  return private.nfc(btrim(replace(words, '&amp;', '&'), E' \n'));
end
$$;
comment on function private.words_of_html is
  'The text of reduced HTML, in which blocks, rows of tables, items of lists and line breaks are lines.';

create function private.settle_html(inout plain text, inout html text, field text)
language plpgsql immutable security definer set search_path = ''
as $$
declare
  source text := coalesce(nullif(html, ''), case when char_length(plain) <= 200000 and private.is_html(plain) then plain end);
begin
  html := null;
  if char_length(source) > 200000 then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s must have at most 200000 characters of HTML.', field), field, 'null'
    );
  elsif source is not null then
    html := private.reduced_html(source);
    -- Some editors save only characters as HTML, and lines as lines.
    if strpos(html, '<p>') = 0 and html !~ '<(?:br|p|div|li|[uod]l|h[1-6r]|table|pre|blockquote|figure|details)[ >]' then
      html := replace(html, E'\n', '<br>');
    end if;
    plain := private.words_of_html(html);
    if plain = '' and strpos(html, '<img ') = 0 then
      html := null;
    end if;
  end if;
end
$$;
comment on function private.settle_html is
  'A text and its HTML as they are stored: from html, else from a plain text that is HTML. html is null for a plain text.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.settle_html to authenticated, service_role;
