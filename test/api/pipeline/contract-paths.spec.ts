import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { sharedApp } from '../../support/shared-app.js';

const facts = readFileSync(join(import.meta.dirname, '../../contract/facts.json'), 'utf8');
const names = (JSON.parse(facts) as readonly { readonly name: string }[]).map(({ name }) => name);

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

/** Sends a body that every operation refuses, so nothing is done. */
const isThere = async (name: string) =>
  (await app.call(name, { 'no operation takes this': 1 })).body.code !== 'unknown-operation';

describe('CV-02: paths of operations', () => {
  it('are those of the contract, all of them', async () => {
    expect(new Set(names).size).toBeGreaterThanOrEqual(205);
    const absent: string[] = [];
    for (const name of names) if (!(await isThere(name))) absent.push(name);
    expect(absent).toEqual([]);
  });

  it('are under the area of their operation only', async () => {
    const areas = ['automations', 'accountEvents', 'site'];
    const others = names.flatMap((name) => {
      const [own = '', operation = ''] = name.split('/');
      return areas.filter((area) => area !== own).map((area) => `${area}/${operation}`);
    });
    const found: string[] = [];
    for (const name of others.filter((one) => !names.includes(one))) if (await isThere(name)) found.push(name);
    expect(found).toEqual([]);
  });
});
