import { fillTemplate, readTemplate, type TemplateFilling, textOf } from '../../../kernel/json/template.js';
import { UnfitValue } from './step-doer.js';

/**
 * If the template is a single placeholder, its value is the whole URL and is not encoded. Otherwise, values are encoded
 * so that they cannot change the host or add or remove segments of the path.
 * @throws UnfitValue, TemplateWithoutValue
 */
export function filledUrl(template: string, filling: TemplateFilling): string {
  const read = readTemplate(template);
  const parts = read.ok ? read.parts : [];
  const isOneValue = parts.length === 1 && parts.some((part) => 'path' in part);
  const url = textOf(fillTemplate(template, { ...filling, write: encoded }));
  if (!URL.canParse(url)) throw new UnfitValue('With the values of this run, the URL of the request is not valid.');
  if (isOneValue) return url;
  const meant = segmentsOf(parts.map((part) => ('text' in part ? part.text : '1')).join(''));
  if (segmentsOf(url).some((segment, at) => isDots(segment) && !isDots(meant[at] ?? ''))) {
    throw new UnfitValue('A value of this run would send the request to another path.');
  }
  return url;
}

const segmentsOf = (url: string) => (url.split(/[?#]/)[0] ?? '').split(/[/\\]/);

/** URL parsers resolve the segments `.` and `..`, so a value of this form would change the path. */
const isDots = (segment: string) => /^(?:\.|%2e){1,2}$/i.test(segment);

/** encodeURIComponent throws on lone surrogates, so they are replaced. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
