/** A range of row keys, `from` included, `to` excluded. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

/** A part of a key. Its text sorts as its value does, or the other way. */
export interface Field<Value> {
  readonly form: RegExp;
  write(value: Value): string;
  read(text: string): Value;
}

export const textField = (form: RegExp): Field<string> => ({
  form,
  write: (value) => value,
  read: (text) => text,
});

/** A time with this many digits. */
export const timeField = (digits: number): Field<number> => ({
  form: new RegExp(String.raw`\d{${digits}}`),
  write: (ms) => String(Math.trunc(ms)).padStart(digits, '0'),
  read: Number,
});

/** The same, so that the newest sorts first. */
export function newestFirstField(digits: number): Field<number> {
  const time = timeField(digits);
  const longest = 10 ** digits - 1;
  return {
    form: time.form,
    write: (ms) => time.write(longest - Math.trunc(ms)),
    read: (text) => longest - time.read(text),
  };
}

// The values of the fields differ.
type Fields = Readonly<Record<string, Field<any>>>;
type Values<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer Value> ? Value : never;
};

export interface KeyKind<F extends Fields> {
  readonly prefix: string;
  /** All keys with this prefix. */
  readonly all: KeyRange;
  of(values: Values<F>): string;
  /** The beginning of the keys with these values of the first fields. */
  startOf(values: Partial<Values<F>>): string;
  /** The keys with these values of the first fields, but not of all. */
  within(values: Partial<Values<F>>): KeyRange;
  /** The values of a key of exactly this form. */
  parse(rowKey: string): Values<F> | undefined;
  has(rowKey: string): boolean;
}

/**
 * A kind of keys in a table: a prefix and fields, joined by the character that the prefix ends with. Each field sorts as its
 * value does, so a range of values is a range of keys.
 */
export function keyKind<F extends Fields>(prefix: string, fields: F): KeyKind<F> {
  const separator = prefix.slice(-1);
  const names = Object.keys(fields) as (keyof F & string)[];
  const forms = names.map((name) => `(${fields[name]?.form.source})`);
  const form = new RegExp(`^${prefix}${forms.join(separator)}$`);
  const startOf = (values: Partial<Values<F>>): string => {
    const given = names.filter((name) => values[name] !== undefined);
    return prefix + given.map((name) => fields[name]?.write(values[name])).join(separator);
  };
  const parse = (rowKey: string): Values<F> | undefined => {
    const found = form.exec(rowKey)?.slice(1);
    if (!found) return undefined;
    const values = names.map((name, at) => [name, fields[name]?.read(found[at] ?? '')]);
    return Object.fromEntries(values) as Values<F>;
  };
  return {
    prefix,
    all: { from: prefix, to: endOf(prefix) },
    of: startOf,
    startOf,
    within: (values) => {
      const from = startOf(values) + separator;
      return { from, to: endOf(from) };
    },
    parse,
    has: (rowKey) => rowKey.startsWith(prefix),
  };
}

/** The end of the range of all keys with a prefix: the character after its last one follows. */
export const endOf = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
