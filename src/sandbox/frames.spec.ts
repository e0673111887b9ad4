import fc from 'fast-check';
import { encodeFrame, FrameCutter } from './frames.js';
import { readFromChild } from './protocol.js';

describe('frames', () => {
  it('arrive unchanged, however the stream is divided', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 8 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (sent, step) => {
        const stream = Buffer.concat(sent.map(encodeFrame));
        const seen: string[] = [];
        const cutter = new FrameCutter(1_000);
        for (let at = 0; at < stream.length; at += step)
          cutter.push(stream.subarray(at, at + step), (text) => seen.push(text));
        expect(seen).toEqual(sent.map((text) => Buffer.from(text).toString()));
      }),
    );
  });

  it('end the stream for good if one is too long', () => {
    const cutter = new FrameCutter(10);
    const seen: string[] = [];
    expect(cutter.push(encodeFrame('12345678901'), (text) => seen.push(text))).toBe(false);
    expect(cutter.push(encodeFrame('ok'), (text) => seen.push(text))).toBe(false);
    expect(seen).toEqual([]);
  });
});

describe('readFromChild', () => {
  it.each([
    '{"t":"ready"}',
    '{"t":"done","run":1,"ok":true,"result":null}',
    '{"t":"parked","run":1,"heard":0,"wakeInMs":null}',
    '{"t":"call","run":1,"id":2,"name":"x","args":[]}',
  ])('accepts %s', (text) => {
    expect(readFromChild(text)).toEqual(JSON.parse(text));
  });

  it.each([
    '',
    'null',
    '[]',
    '{"t":"done","run":1,"ok":true}',
    '{"t":"done","run":"1","ok":true,"result":1}',
    '{"t":"done","run":1,"ok":false,"reason":"lost","error":"x"}',
    '{"t":"done","run":1,"ok":false,"reason":"threw","error":{}}',
    '{"t":"call","run":1,"id":2,"name":"x","args":{}}',
    '{"t":"call","run":1,"id":2,"name":["x"],"args":[]}',
    '{"t":"log","run":1,"at":"now","level":"info","text":"x"}',
    '{"t":"log","run":1,"at":"2026-01-01T00:00:00.000Z","level":"loud","text":"x"}',
    '{"t":"parked","run":1,"heard":0,"wakeInMs":"5"}',
    '{"t":"parked","run":1,"wakeInMs":5}',
    '{"t":"else","run":1}',
    '{"t":"ready"',
  ])('accepts nothing else: %s', (text) => {
    expect(readFromChild(text)).toBeUndefined();
  });
});
