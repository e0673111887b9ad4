import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/depth.js';
import { mailLimits } from './mail-limits.js';
import { tooMuch } from './mail-outline.js';

interface Part {
  readonly children: readonly Part[];
  readonly within: boolean;
}

let boundaries = 0;

function written({ children, within }: Part): string {
  if (children.length === 0) return 'Content-Type: text/plain\r\n\r\nHello\r\n';
  const [first] = children;
  if (within && children.length === 1 && first) return `Content-Type: message/rfc822\r\n\r\n${written(first)}`;
  const boundary = `b${boundaries++}`;
  const inner = children.map((child) => `--${boundary}\r\n${written(child)}\r\n`).join('');
  return `Content-Type: multipart/mixed;\r\n boundary="${boundary}"\r\n\r\npreamble\r\n${inner}--${boundary}--\r\nepilogue\r\n`;
}

const isMail = ({ children, within }: Part) => within && children.length === 1;
const partsOf = (part: Part): number =>
  part.children.reduce((sum, child) => sum + partsOf(child) + (isMail(part) ? 0 : 1), 0);
const depthOf = (part: Part): number => (part.children.length === 0 ? 0 : 1 + Math.max(...part.children.map(depthOf)));

const tree = fc
  .tuple(fc.integer({ min: 1, max: 30 }), fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 300 }))
  .map(([spread, parts]): Part => {
    const root = { children: [] as Part[], within: false };
    const all = [root];
    for (const [place, within] of parts) {
      const part = { children: [], within };
      all[all.length - 1 - (place % Math.min(spread, all.length))]?.children.push(part);
      all.push(part);
    }
    return root;
  });

const mail = (text: string) => Buffer.from(`From: a@b.c\r\n${text}`);
const chain = (depth: number): Part =>
  depth === 0 ? { children: [], within: false } : { children: [chain(depth - 1)], within: depth % 2 === 0 };

describe('a mail that is too large to parse', () => {
  it('is recognised by its number of parts and their depth', () => {
    fc.assert(
      fc.property(tree, (part) => {
        const said = tooMuch(mail(written(part)));
        if (depthOf(part) > mailLimits.depth) expect(said).toMatch(/nest deeper|more than 250 parts/);
        else if (partsOf(part) > mailLimits.parts) expect(said).toMatch(/more than 250 parts/);
        else expect(said).toBeUndefined();
      }),
      { numRuns: runs(300) },
    );
  });

  it('is decided exactly at the limits', () => {
    expect(tooMuch(mail(written(chain(mailLimits.depth))))).toBeUndefined();
    expect(tooMuch(mail(written(chain(mailLimits.depth + 1))))).toMatch(/nest deeper/);
    const wide = (count: number): Part => ({ children: Array(count).fill(chain(0)), within: false });
    expect(tooMuch(mail(written(wide(mailLimits.parts))))).toBeUndefined();
    expect(tooMuch(mail(written(wide(mailLimits.parts + 1))))).toMatch(/more than 250 parts/);
    const headers = (count: number) => Buffer.from(`${'X: y\r\n'.repeat(count)}\r\n`);
    expect(tooMuch(headers(mailLimits.headerCount))).toBeUndefined();
    expect(tooMuch(headers(mailLimits.headerCount + 1))).toMatch(/more than 1000 headers/);
  });

  it('is recognised by headers of parts as by those of the mail', () => {
    const part = `--b\r\n${'X: y\r\n'.repeat(2_000)}\r\nx\r\n--b--\r\n`;
    expect(tooMuch(mail(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${part}`))).toMatch(/1000 headers/);
    const folded = `X: a\r\n${` ${'y'.repeat(1_000)}\r\n`.repeat(70)}`;
    expect(tooMuch(mail(`${folded}\r\n`))).toMatch(/longer than 65536 bytes/);
    expect(tooMuch(mail(`${`X: ${'y'.repeat(60_000)}\r\n`.repeat(5)}\r\n`))).toMatch(/longer than 262144 bytes/);
  });

  it('is decided for any bytes, without failing', () => {
    const pieces = [
      '--b',
      '--b--',
      '\r\n',
      '\n',
      '\r',
      ':',
      ' ',
      '\0',
      'Content-Type: multipart/x; boundary=b',
      'boundary="',
      ';',
    ];
    const lines = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string(), fc.uint8Array({ maxLength: 20 })));
    fc.assert(
      fc.property(lines, (all) => {
        const said = tooMuch(Buffer.concat(all.map((piece) => Buffer.from(piece as string))));
        expect(['undefined', 'string']).toContain(typeof said);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
