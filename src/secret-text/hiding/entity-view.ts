import { startOf, type TextView, ViewWriter } from './text-view.js';

const [AMPERSAND, SEMICOLON, HASH] = [0x26, 0x3b, 0x23];
const named = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    sol: '/',
    bsol: '\\',
    plus: '+',
    equals: '=',
    percnt: '%',
    num: '#',
    dollar: '$',
    commat: '@',
    excl: '!',
    grave: '`',
    lowbar: '_',
    period: '.',
    colon: ':',
    nbsp: '\u00a0',
  }).map(([name, character]) => [name, character.charCodeAt(0)]),
);
const longest = 12;

export function entityView(view: TextView): TextView | undefined {
  const { bytes } = view;
  if (!bytes.includes(AMPERSAND) || !bytes.includes(SEMICOLON)) return undefined;
  const writer = new ViewWriter(bytes.length);
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number;
    const entity = byte === AMPERSAND ? readEntity(bytes, at) : undefined;
    if (entity) writer.writePoint(entity.point, startOf(view, at));
    else writer.write(byte, startOf(view, at));
    at += entity?.length ?? 1;
  }
  return writer.done(startOf(view, bytes.length));
}

function readEntity(bytes: Uint8Array, at: number): { readonly point: number; readonly length: number } | undefined {
  const end = bytes.subarray(at, at + longest).indexOf(SEMICOLON);
  if (end < 3) return undefined;
  const name = Buffer.from(bytes.subarray(at + 1, at + end)).toString('latin1');
  const point = name.charCodeAt(0) === HASH ? pointOf(name) : named.get(name);
  return point === undefined ? undefined : { point, length: end + 1 };
}

function pointOf(name: string): number | undefined {
  const [, hex, decimal] = /^#(?:[xX]([0-9a-fA-F]+)|(\d+))$/.exec(name) ?? [];
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return point > 0 && point <= 0x10ffff ? point : undefined;
}
