import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { atMostBytes, mustFitStores } from './document-size-limit.js';

const documentWith = (members: object) => ({ ...members, id: 'one', workspaceId: 'ws_1' });
const megabytes = (count: number) => 'x'.repeat(count * 1024 * 1024);

describe('the size limit of documents', () => {
  it('is checked by a bound that is never below the size in JSON, also when the document is measured again', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (members) => {
        const document = documentWith({ ...members, list: Array.from({ length: 20 }, () => members) });
        for (let times = 0; times < 2; times += 1) {
          expect(atMostBytes(document)).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(document)));
        }
      }),
    );
  });

  it('accepts 6 MB of JSON and refuses more, also in nested members', () => {
    expect(() => mustFitStores(documentWith({ text: megabytes(5) }))).not.toThrow();
    for (const large of [megabytes(6), [megabytes(3), megabytes(3)], { a: { b: [megabytes(6)] } }]) {
      expect(() => mustFitStores(documentWith({ large }))).toThrow('The document would be larger than 6 MB');
    }
  });

  it('refuses an id that is not well-formed Unicode', () => {
    expect(() => mustFitStores({ id: '\ud800', workspaceId: 'ws_1' })).toThrow('not well-formed Unicode');
  });
});
