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
  readonly subject: string;
  readonly html: string;
  /** Placeholders that had neither a value nor a default, in the order of their first use. */
  readonly missing: readonly string[];
}

const placeholder = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]{0,63})[ \t]*\}\}/g;
const longest = 10 * 1024 * 1024;

/**
 * Values are escaped for HTML between tags and in quoted attributes; elsewhere, such as in a script or style, they are
 * not safe. Placeholders in values are not replaced.
 * @throws TemplateTooLarge if the result has more than 10 million characters
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
 * Values are not escaped, and there are no defaults.
 * @throws TemplateTooLarge
 */
export const renderText = (text: string, values: JsonObject): string =>
  filled(text, (name) => textOf((Object.hasOwn(values, name) ? values[name] : undefined) ?? ''));

/** Each value is converted to text only once, because a large value may be used many times. */
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
