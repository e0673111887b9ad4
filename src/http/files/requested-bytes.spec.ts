import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { requestedBytes } from './requested-bytes.js';

const etag = '"a"';
const asked = (headers: object, { method = 'GET', size = 10 } = {}) =>
  requestedBytes({ method, headers }, { etag, size });
const part = (from: number, to: number) => ({ status: 206, range: { from, to } });
const whole = { status: 200 };

describe('the bytes of an answer', () => {
  it.each([
    ['bytes=0-3', part(0, 3)],
    ['bytes=4-', part(4, 9)],
    ['bytes=-3', part(7, 9)],
    ['bytes=-99', part(0, 9)],
    ['bytes=9-9', part(9, 9)],
    ['bytes=0-999', part(0, 9)],
    ['BYTES= 1-2 ', part(1, 2)],
    ['bytes=10-', { status: 416 }],
    ['bytes=10-20', { status: 416 }],
    ['bytes=-0', { status: 416 }],
    ['bytes=0-0,2-3', { status: 416 }],
    ['bytes=5-4', { status: 416 }],
    ['bytes=-', { status: 416 }],
    ['bytes=', { status: 416 }],
    ['bytes=a-b', { status: 416 }],
    ['bytes=99999999999999999999-', { status: 416 }],
    ['rows=0-3', whole],
    ['', whole],
  ])('of the range %j are %j', (range, answer) => {
    expect(asked({ range })).toEqual(answer);
  });

  it.each([
    [{ 'if-none-match': '"a"' }, 304],
    [{ 'if-none-match': 'W/"a"' }, 304],
    [{ 'if-none-match': '"b", "a"' }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"b"' }, 200],
    [{ 'if-none-match': 'a' }, 200],
    [{ 'if-none-match': '"a"', range: 'bytes=0-1' }, 304],
    [{ 'if-range': '"a"', range: 'bytes=0-1' }, 206],
    [{ 'if-range': 'W/"a"', range: 'bytes=0-1' }, 200],
    [{ 'if-range': '"b"', range: 'bytes=0-1' }, 200],
    [{ 'if-range': 'Tue, 24 Nov 2026 00:00:00 GMT', range: 'bytes=0-1' }, 200],
  ])('with %j come with %i', (headers, status) => {
    expect(asked(headers).status).toBe(status);
  });

  it('are all of an empty file, and of a HEAD request', () => {
    expect(asked({ range: 'bytes=0-1' }, { size: 0 })).toEqual({ status: 416 });
    expect(asked({}, { size: 0 })).toEqual(whole);
    expect(asked({ range: 'bytes=0-1' }, { method: 'HEAD' })).toEqual(whole);
  });

  it('never exceed the file, for any request', () => {
    const ranges = fc.oneof(
      fc.string(),
      fc.tuple(fc.nat(20), fc.nat(20)).map(([a, b]) => `bytes=${a}-${b}`),
    );
    fc.assert(
      fc.property(ranges, fc.nat(15), (range, size) => {
        const answer = asked({ range }, { size });
        if (answer.status !== 206) return;
        const { from, to } = answer.range;
        expect(from >= 0 && from <= to && to < size).toBe(true);
      }),
    );
  });
});
