import { describe, expect, it } from '@jest/globals';
import { refusalOf } from '../refusals/engine.refusals.js';
import { faultReason } from './fault-reason.js';

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('the reason of a fault', () => {
  it("names the position in the code and JavaScript's own message", () => {
    const broken = { data: undefined } as unknown as { data: { name: string } };
    const reason = faultReason(caught(() => broken.data.name.split('.')));
    expect(reason).toMatch(
      /^TypeError: Cannot read properties of undefined \(reading 'name'\) \(src\/engine\/cluster\/fault-reason\.spec\.ts:\d+\)$/,
    );
  });

  it('contains messages of our own code', () => {
    expect(faultReason(new Error('There is no such stream.'))).toMatch(/^Error: There is no such stream\. \(src\//);
  });

  it('contains no data: not that of a parser, of a store or of a refusal', () => {
    const secret = 'the customer’s secret';
    const parsed = faultReason(caught(() => JSON.parse(`{"a": ${secret}`)));
    class MongoServerError extends Error {
      override readonly name = 'MongoServerError';
    }
    const stored = faultReason(new MongoServerError(`dup key: { name: "${secret}" }`));
    const foreign = new Error(secret);
    foreign.stack = `Error: ${secret}\n    at parse (/app/node_modules/parser/index.js:3:1)`;
    const refused = faultReason(refusalOf('unknown-operation', { path: secret }));
    const all = [parsed, stored, faultReason(foreign), refused, faultReason(secret)];
    expect(all.filter((one) => one.includes(secret))).toEqual([]);
    expect(all).toEqual([
      expect.stringMatching(/^SyntaxError \(src\//),
      expect.stringMatching(/^MongoServerError \(src\//),
      'Error',
      'refused with the code unknown-operation',
      'a value that is not an Error was thrown',
    ]);
  });
});
