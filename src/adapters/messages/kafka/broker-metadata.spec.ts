import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { requestOnlyBrokers } from './broker-metadata.js';

interface Metadata {
  protocol(of: { readonly version: number }): (asked: { readonly topics: readonly string[] }) => {
    readonly request: {
      readonly apiVersion: number;
      readonly encode: () => Promise<{ readonly buffer: Buffer }>;
    };
  };
}
const metadata = createRequire(import.meta.url)('kafkajs/src/protocol/requests/metadata') as Metadata;

async function written(version: number, topics: readonly string[]): Promise<readonly number[]> {
  const { request } = metadata.protocol({ version })({ topics });
  expect(request.apiVersion).toBe(version);
  return [...(await request.encode()).buffer];
}

describe('a metadata request without topics', () => {
  beforeAll(requestOnlyBrokers);

  it.each([1, 2, 3])('asks for no topics, instead of all (-1), in version %d', async (version) => {
    expect(await written(version, [])).toEqual([0, 0, 0, 0]);
  });

  it.each([4, 5, 6])('asks for no topics, and still whether topics may be created, in version %d', async (version) => {
    expect(await written(version, [])).toEqual([0, 0, 0, 0, 1]);
  });

  it('does not change requests with names', async () => {
    expect(await written(6, ['a'])).toEqual([0, 0, 0, 1, 0, 1, 97, 1]);
  });

  it('is patched once for any number of clients', async () => {
    const { protocol } = metadata;
    requestOnlyBrokers();
    expect(metadata.protocol).toBe(protocol);
  });
});
