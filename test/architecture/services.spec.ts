import { globSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { startersIn, startServices } from '../tiers/started-services.js';
import { secondTierOf } from '../tiers/tiers.js';
import { root } from './import-graph.js';

/** Maximum number of spec files with their own service. Never raise it: let a new spec share a service. */
const most = 58;

describe('spec files of the first tier', () => {
  it('share services, and few start one of their own', () => {
    const all = globSync('{src,projections,test}/**/*.spec.ts', { cwd: root });
    const second = secondTierOf(root, all);
    const starting = startServices(
      root,
      all.filter((file) => !second.includes(file)),
    );
    expect(starting.length > most ? starting : []).toEqual([]);
    expect(starting.length).toBeGreaterThan(most - 10);
  });

  it('count as starting one also if they do so through test/support', () => {
    const support = [
      'export const opened = async () => {\n  await startApp({});\n};',
      "/** Calls startApp(). */\nexport const named = 'startApp';\nexport async function twice() {\n  return opened();\n}",
      'export class Scene {\n  start() {\n    return twice();\n  }\n}',
    ];
    const own = startersIn(support).filter((name) => ['opened', 'named', 'twice', 'Scene'].includes(name));
    expect(own.sort()).toEqual(['Scene', 'opened', 'twice']);
  });
});
