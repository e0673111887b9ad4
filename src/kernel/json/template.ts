import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.js';
import { type JsonPath, pathText } from './json-path.js';

/**
 * Template syntax: `Order {{input.order.id}}`. Values are not parsed as templates again. `{{secret:NAME}}` refers to a
 * secret, whose value is not available here.
 */
export type TemplatePart = { readonly text: string } | { readonly path: JsonPath } | { readonly secret: string };

export type ReadTemplate =
  | { readonly ok: true; readonly parts: readonly TemplatePart[] }
  /** `wrong` continues a sentence that begins with the name of the field. */
  | { readonly ok: false; readonly wrong: string };

/** Thrown if the run has no value at a path in the template. */
export class TemplateWithoutValue extends Error {
  constructor(path: JsonPath) {
    super(`{{${pathText(path)}}} has no value in this run.`);
  }
}

export class TemplateTooLarge extends Error {
  constructor() {
    super('The values of this step are too large together.');
  }
}

const wrong =
  'has a {{ that does not begin a value: write {{input.…}}, {{steps.<id>.…}} or, where a secret is allowed, {{secret:NAME}}; {{"…"}} is literal text';

export function readTemplate(text: string): ReadTemplate {
  const parts: TemplatePart[] = [];
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf('{{', at);
    if (open !== at) parts.push({ text: text.slice(at, open === -1 ? undefined : open) });
    if (open === -1) break;
    const reader = new ExpressionReader(text, open + 2);
    const part = reader.read();
    if (part === undefined) return { ok: false, wrong };
    parts.push(part);
    at = reader.at;
  }
  return { ok: true, parts };
}

/** Example: `input.list[0].sum`. Returns undefined if the text is not a path. */
export function readPath(text: string): JsonPath | undefined {
  const read = readTemplate(`{{${text}}}`);
  const [only, ...others] = read.ok ? read.parts : [];
  return only !== undefined && 'path' in only && others.length === 0 ? only.path : undefined;
}

const spaces = /[ \t]*/y;
const close = /[ \t]*\}\}/y;
const secret = /secret:([A-Z][A-Z0-9_]{0,99})/y;
const quoted = /"(?:[^"\\]|\\.)*"/y;
const name = /[A-Za-z_$][A-Za-z0-9_$-]*/y;
const member = /\.([A-Za-z0-9_$-]+)/y;
const index = /\[(\d{1,9})\]/y;

class ExpressionReader {
  constructor(
    private readonly text: string,
    public at: number,
  ) {}

  read(): TemplatePart | undefined {
    this.take(spaces);
    const part = this.part();
    return part !== undefined && this.take(close) !== undefined ? part : undefined;
  }

  private part(): TemplatePart | undefined {
    const named = this.take(secret)?.[1];
    if (named !== undefined) return { secret: named };
    const literal = this.string();
    if (literal !== undefined) return { text: literal };
    const root = this.take(name)?.[0];
    return root === undefined ? undefined : this.path(root);
  }

  private path(root: string): TemplatePart | undefined {
    const path: (string | number)[] = [root];
    for (;;) {
      const key = this.take(member)?.[1] ?? this.inBrackets();
      if (key === undefined) return { path };
      path.push(key);
    }
  }

  private inBrackets(): string | number | undefined {
    const number = this.take(index)?.[1];
    if (number !== undefined) return Number(number);
    const open = this.at;
    if (this.text[open] !== '[') return undefined;
    this.at += 1;
    const key = this.string();
    if (key !== undefined && this.text[this.at] === ']') {
      this.at += 1;
      return key;
    }
    this.at = open;
    return undefined;
  }

  private string(): string | undefined {
    const found = this.take(quoted)?.[0];
    if (found === undefined) return undefined;
    try {
      return JSON.parse(found) as string;
    } catch {
      return undefined;
    }
  }

  private take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    this.at = pattern.lastIndex;
    return found;
  }
}

export function valueAtPath(source: Json, path: JsonPath): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => {
    if (isJsonArray(value)) return typeof key === 'number' ? value[key] : undefined;
    return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, source);
}

/** Null becomes an empty text; objects and arrays become JSON. */
export function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export interface TemplateFilling {
  readonly values: JsonObject;
  /**
   * `left` is the number of characters that the inserted values may still have. Templates that are filled with the same
   * object share this number. Default: no limit.
   */
  readonly room?: { left: number };
  /** Omitted if secrets are not allowed. `before` and `after` are the text around the secret. */
  readonly secret?: (name: string, before: string, after: string) => Json;
  readonly write?: (text: string) => string;
}

/**
 * If a placeholder is the whole text, the result is the value itself, of any type.
 * @throws TemplateWithoutValue, TemplateTooLarge; Error for a text that `readTemplate` would have refused, for several
 * secrets, and for a secret if none is allowed
 */
export function fillTemplate(text: string, filling: TemplateFilling): Json {
  const template = readTemplate(text);
  if (!template.ok) throw new Error(`A template ${template.wrong}.`);
  const { parts } = template;
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'path' in only) return required(filling, only.path);
  const at = parts.findIndex((part) => 'secret' in part);
  const found = parts[at];
  if (found === undefined || !('secret' in found)) return written(parts, filling);
  if (filling.secret === undefined) throw new Error('A secret is used where none is allowed.');
  return filling.secret(found.secret, written(parts.slice(0, at), filling), written(parts.slice(at + 1), filling));
}

export function fillJson(value: Json, filling: TemplateFilling): Json {
  if (typeof value === 'string') return fillTemplate(value, filling);
  if (isJsonArray(value)) return value.map((one) => fillJson(one, filling));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, inner === undefined ? undefined : fillJson(inner, filling)]),
  );
}

function written(parts: readonly TemplatePart[], filling: TemplateFilling): string {
  const { write = (text) => text } = filling;
  return parts
    .map((part) => {
      if ('text' in part) return part.text;
      if ('secret' in part) throw new Error('One string contains several secrets.');
      return write(textOf(required(filling, part.path)));
    })
    .join('');
}

function required({ values, room }: TemplateFilling, path: JsonPath): Json {
  const value = valueAtPath(values, path);
  if (value === undefined) throw new TemplateWithoutValue(path);
  if (room !== undefined) {
    room.left -= textOf(value).length;
    if (room.left < 0) throw new TemplateTooLarge();
  }
  return value;
}
