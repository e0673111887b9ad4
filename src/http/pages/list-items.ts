import type { Json } from '../../kernel/json/json.js';
import { type Html, html, marked } from './html.js';
import { meaningOf } from './labels.js';

export interface Item {
  /** In a comparison of two values, items with the same key are the same item. */
  readonly key: string;
  readonly shown: Html;
}

const mostItems = 200;
const longestText = 200;

/**
 * Null has no items. Returns undefined if the value is neither a list nor an object, or if it has too many or too long
 * items.
 */
export function itemsOf(path: string, value: Json): readonly Item[] | undefined {
  if (value === null) return [];
  if (typeof value !== 'object') return undefined;
  const items = path === 'secrets' && isSecretList(value) ? value.flatMap(secretItems) : partsOf(path, value, []);
  return items.length > mostItems || items.some((item) => item === undefined) ? undefined : (items as readonly Item[]);
}

function partsOf(path: string, value: Json, place: readonly string[]): readonly (Item | undefined)[] {
  if (Array.isArray(value)) return value.map((element: Json) => itemOf(path, element, place));
  if (typeof value !== 'object' || value === null) return [itemOf(path, value, place)];
  return Object.entries(value as Readonly<Record<string, Json>>).flatMap(([name, member]) =>
    partsOf(path, member, [...place, name]),
  );
}

function itemOf(path: string, value: Json, place: readonly string[]): Item | undefined {
  const shown = wordsOf(path, value);
  if (shown === undefined) return undefined;
  const where = place.length > 0 && html`${marked(place.join(' · '))}: `;
  return { key: JSON.stringify([place, value]), shown: html`${where}${shown}` };
}

/**
 * Each text has its own box, so that one text cannot be mistaken for two. Returns undefined if a text is too long or
 * has several lines.
 */
function wordsOf(path: string, value: Json): Html | undefined {
  if (typeof value !== 'object' || value === null) return simple(path, value);
  const members = Array.isArray(value)
    ? value.map((element: Json) => [undefined, element] as const)
    : Object.entries(value as Readonly<Record<string, Json>>);
  const shown = members.map(([name, member]) => {
    const inner = wordsOf(path, member);
    const isNested = typeof member === 'object' && member !== null;
    return inner && html`${name !== undefined && html`${marked(name)} `}${isNested ? html`(${inner})` : inner}`;
  });
  if (shown.length === 0) return html`<span class="none">nothing</span>`;
  if (shown.some((one) => one === undefined)) return undefined;
  return html`${shown.map((one, at) => html`${at > 0 && ', '}${one}`)}`;
}

function simple(path: string, value: Json): Html | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length > longestText || text.includes('\n')) return undefined;
  if (text === '') return html`<span class="none">empty</span>`;
  const meaning = meaningOf(path, text);
  return html`<code>${marked(text)}</code>${meaning !== undefined && html` <span class="meaning">${meaning}</span>`}`;
}

interface SecretEntry {
  readonly name: string;
  readonly hosts?: readonly string[];
  readonly keyFormat?: { readonly encoding: string; readonly prefix?: string };
  readonly opened?: true;
}

const isSecretList = (value: unknown): value is readonly SecretEntry[] =>
  Array.isArray(value) && value.every((entry) => typeof entry?.name === 'string');

/**
 * Each host to which the secret may be sent is an item, so a comparison shows which host was added. A secret without
 * hosts has an item for checking signatures instead. The key format, if any, is a further item.
 */
function secretItems({ name, hosts = [], keyFormat, opened }: SecretEntry): readonly Item[] {
  const of = (what: Json, shown: Html): Item => ({ key: JSON.stringify([name, what]), shown });
  const secret = html`<code>${marked(name)}</code>`;
  const beyond = opened && html` <span class="meaning">the secret itself does not allow this host</span>`;
  return [
    ...hosts.map((host) => of([host, opened ?? false], html`${secret} to <code>${marked(host)}</code>${beyond}`)),
    ...(hosts.length === 0 ? [of('signatures', html`${secret} to check signatures`)] : []),
    ...(keyFormat === undefined
      ? []
      : [
          of(
            keyFormat as unknown as Json,
            html`${secret} read as <code>${marked(keyFormat.encoding)}</code>${keyFormat.prefix !== undefined && html` behind <code>${marked(keyFormat.prefix)}</code>`}`,
          ),
        ]),
  ];
}
