import { fillTemplate, readTemplate, type TemplateFilling, textOf } from '../../../kernel/json/template.js';
import { UnfitValue } from './step-doer.js';

/**
 * Returns the address with its values filled in. If the template is a single value, that value is the address. Values
 * within an address are encoded, so they cannot change its host or path depth, for example by turning a segment into
 * `..`.
 * @throws UnfitValue, TemplateWithoutValue
 */
export function filledUrl(template: string, filling: TemplateFilling): string {
  const read = readTemplate(template);
  const parts = read.ok ? read.parts : [];
  const isOneValue = parts.length === 1 && parts.some((part) => 'path' in part);
  const url = textOf(fillTemplate(template, { ...filling, write: encoded }));
  if (!URL.canParse(url))
    throw new UnfitValue('The address of the request is no address, with the values of this run.');
  if (isOneValue) return url;
  const meant = segmentsOf(parts.map((part) => ('text' in part ? part.text : '1')).join(''));
  if (segmentsOf(url).some((segment, at) => isDots(segment) && !isDots(meant[at] ?? ''))) {
    throw new UnfitValue('A value of this run would lead the request to another path.');
  }
  return url;
}

const segmentsOf = (url: string) => (url.split(/[?#]/)[0] ?? '').split(/[/\\]/);

/** URL parsers resolve these segments, so they would lead to another path. */
const isDots = (segment: string) => /^(?:\.|%2e){1,2}$/i.test(segment);

/** A lone surrogate cannot be encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
