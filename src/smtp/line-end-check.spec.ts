import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../test/support/depth.js';
import { LineEndCheck } from './line-end-check.js';

const sound = (text: string) => text.replaceAll('\r\n', '').search(/[\r\n]/) === -1;
const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', '.', '\r', '\n', '\r\n') }), { maxLength: 8 });

describe('line ends', () => {
  it('are valid if every CR and LF is one of a pair, however the mail is divided', () => {
    fc.assert(
      fc.property(pieces, (all) => {
        const check = new LineEndCheck();
        for (const piece of all) check.push(Buffer.from(piece));
        expect(check.end()).toBe(sound(all.join('')));
      }),
      { numRuns: runs(2_000) },
    );
  });
});
