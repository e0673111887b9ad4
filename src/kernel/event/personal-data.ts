import { parseStream, type StreamName } from './stream-name.js';

/** For each personal field, the value that is shown once the record's encryption key is destroyed. */
export type ErasedTexts = Readonly<Record<string, string | null>>;

export interface SealedValue {
  readonly category: string;
  readonly id: string;
  readonly field: string;
  readonly sealed: string;
}

const beginning = 'sealed:1:';
const form = /sealed:1:([A-Za-z]+)\/([\w-]+)\/(\w+):([\w-]+)\./g;
const whole = new RegExp(`^${form.source}$`);

/** The text ends with a dot, so that text after the value does not become part of the value. */
export function sealedText({ category, id, field, sealed }: SealedValue): string {
  return `${beginning}${category}/${id}/${field}:${sealed}.`;
}

/**
 * This text is authenticated together with the sealed value, so that the value cannot be moved to another record or
 * field.
 */
export const placeOf = (workspaceId: string, { category, id, field }: Omit<SealedValue, 'sealed'>) =>
  `${workspaceId}/${category}/${id}/${field}`;

export const mayHoldSealed = (text: string): boolean => text.includes(beginning);

export function sealedValuesIn(text: string): readonly SealedValue[] {
  if (!mayHoldSealed(text)) return [];
  const one = asSealedValue(text);
  return one === undefined ? [...text.matchAll(form)].map(([, ...parts]) => sealedValue(parts)) : [one];
}

export function asSealedValue(text: unknown): SealedValue | undefined {
  const [, ...parts] = (typeof text === 'string' && text.startsWith(beginning) && whole.exec(text)) || [];
  return parts.length === 0 ? undefined : sealedValue(parts);
}

/** Returns `category/id` of the sealed value with which the text begins. The rest of the text is not checked. */
export function subjectNamedBy(text: string): string | undefined {
  if (!text.startsWith(beginning)) return undefined;
  return text.slice(beginning.length, text.indexOf('/', text.indexOf('/', beginning.length) + 1));
}

/**
 * A text that is exactly one sealed value becomes its value, of any JSON type. Values within longer texts become text,
 * or stay sealed if `open` returns undefined.
 */
export function withOpened(text: string, open: (sealed: SealedValue) => unknown): unknown {
  const one = asSealedValue(text);
  if (one !== undefined) return open(one);
  return text.replace(form, (found, ...parts: string[]) => {
    const opened = open(sealedValue(parts));
    return opened === undefined ? found : String(opened);
  });
}

function sealedValue([category = '', id = '', field = '', sealed = '']: readonly string[]): SealedValue {
  return { category, id, field, sealed };
}

const registry = new Map<string, ErasedTexts>();

export function declarePersonal(category: string, erased: ErasedTexts): void {
  registry.set(category, erased);
}

export function personalOf(
  stream: string,
): { readonly of: StreamName; readonly fields: readonly string[] } | undefined {
  const erased = registry.get(stream.slice(0, stream.indexOf('-')));
  return erased && { of: parseStream(stream), fields: Object.keys(erased) };
}

export function erasedText({ category, field }: Omit<SealedValue, 'id' | 'sealed'>): string | null {
  const erased = registry.get(category)?.[field];
  return erased === undefined ? 'erased' : erased;
}
