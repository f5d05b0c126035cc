-- The forms of tax ids in the European Union. Made by scripts/tax-ids.ts from the rules of jsvat
-- (https://github.com/se-panfilov/jsvat, MIT).

insert into private.tax_id_forms (country, pattern) values
  ('AT', '(?:AT)U(?:\d{8})'),
  ('BE', '(?:BE)(?:[01]?\d{9})'),
  ('BG', '(?:BG)(?:\d{9,10})'),
  ('CY', '(?:CY)(?:[0-59]\d{7}[A-Z])'),
  ('CZ', '(?:CZ)(?:\d{8,10})(?:\d{3})?'),
  ('DE', '(?:DE)(?:[1-9]\d{8})'),
  ('DK', '(?:DK)(?:\d{8})'),
  ('EE', '(?:EE)(10\d{7})'),
  ('ES', '(?:ES)(?:[A-Z]\d{8})|(?:ES)(?:[A-HN-SW]\d{7}[A-J])|(?:ES)(?:[0-9YZ]\d{7}[A-Z])|(?:ES)(?:[KLMX]\d{7}[A-Z])'),
  ('FI', '(?:FI)(?:\d{8})'),
  ('FR', '(?:FR)(?:\d{11})|(?:FR)(?:[A-HJ-NP-Z]\d{10})|(?:FR)(?:\d[A-HJ-NP-Z]\d{9})|(?:FR)(?:[A-HJ-NP-Z]{2}\d{9})'),
  ('GR', '(?:EL)(?:\d{9})'),
  ('HR', '(?:HR)(?:\d{11})'),
  ('HU', '(?:HU)(?:\d{8})'),
  ('IE', '(?:IE)(?:\d{7}[A-W])|(?:IE)(?:[7-9][A-Z*+)]\d{5}[A-W])|(?:IE)(?:\d{7}[A-W][AH])'),
  ('IT', '(?:IT)(?:\d{11})'),
  ('LT', '(?:LT)(?:\d{9}|\d{12})'),
  ('LU', '(?:LU)(?:\d{8})'),
  ('LV', '(?:LV)(?:\d{11})'),
  ('MT', '(?:MT)(?:[1-9]\d{7})'),
  ('NL', '(?:NL)(?:\d{9}B\d{2})'),
  ('PL', '(?:PL)(?:\d{10})'),
  ('PT', '(?:PT)(?:\d{9})'),
  ('RO', '(?:RO)(?:[1-9]\d{1,9})'),
  ('SE', '(?:SE)(?:\d{10}01)'),
  ('SI', '(?:SI)(?:[1-9]\d{7})'),
  ('SK', '(?:SK)(?:[1-9]\d[2346-9]\d{7})')
on conflict (country) do update set pattern = excluded.pattern;
