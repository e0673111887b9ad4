import type { JsonObject } from '../../../kernel/json/json.js';
import { TemplateTooLarge, textOf } from '../../../kernel/json/template.js';
import { escapedHtml } from '../../../kernel/text/escaped-html.js';
import type { TemplateVariable } from './template-fields.js';

export interface TemplateTexts {
  readonly subject: string | null;
  readonly content: string;
  readonly variables: readonly TemplateVariable[];
}

export interface RenderedTemplate {
  /** The subject, which is a single line. */
  readonly subject: string;
  readonly html: string;
  /** Placeholders that have neither a value nor a default, in the order of the text. They become empty in the mail. */
  readonly missing: readonly string[];
}

const placeholder = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]{0,63})[ \t]*\}\}/g;
const longest = 10 * 1024 * 1024;

/**
 * Replaces `{{name}}` with values. In the HTML, values are escaped: they are safe between tags and in quoted
 * attributes, but not elsewhere, such as in a script or style. Values are not searched for placeholders. If a value is
 * null, the variable's default is used. Without a default the placeholder becomes empty, so that readers of a mail see
 * no braces, and `missing` lists it for the sender. Braces around anything but a name are unchanged.
 * @throws TemplateTooLarge beyond 10 million characters
 */
export function renderTemplate({ subject, content, variables }: TemplateTexts, values: JsonObject): RenderedTemplate {
  const defaults = new Map(variables.map((variable) => [variable.name, variable.default]));
  const missing = new Set<string>();
  const standsFor = (name: string): string => {
    const value = (Object.hasOwn(values, name) ? values[name] : undefined) ?? defaults.get(name);
    if (value === undefined) missing.add(name);
    return value === undefined ? '' : textOf(value);
  };
  const line = filled(subject ?? '', standsFor)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  const html = filled(content, (name) => escapedHtml(standsFor(name)));
  return { subject: line, html, missing: [...missing] };
}

/**
 * Same as `renderTemplate` for a text without markup: values are not escaped.
 * @throws TemplateTooLarge
 */
export const renderText = (text: string, values: JsonObject): string =>
  filled(text, (name) => textOf((Object.hasOwn(values, name) ? values[name] : undefined) ?? ''));

/** Each value is converted to text once, because a large one may occur in many positions. */
function filled(text: string, standsFor: (name: string) => string): string {
  const known = new Map<string, string>();
  const parts: string[] = [];
  let length = 0;
  let end = 0;
  const add = (part: string) => {
    length += part.length;
    if (length > longest) throw new TemplateTooLarge();
    parts.push(part);
  };
  for (const { 0: found, 1: name = '', index } of text.matchAll(placeholder)) {
    const value = known.get(name) ?? standsFor(name);
    known.set(name, value);
    add(text.slice(end, index));
    add(value);
    end = index + found.length;
  }
  add(text.slice(end));
  return parts.join('');
}
