import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  concernsKafka,
  isSecondTier,
  kafkaSpecs,
  runsOnEngines,
  secondTierFor,
  secondTierNames,
  secondTierOf,
} from './tiers.js';

const root = join(import.meta.dirname, '../..');
const all = globSync('{src,projections,test}/**/*.spec.ts', { cwd: root });
const second = secondTierOf(root, all);

/** The text of a spec and of all files of `test` that it imports. */
function textOf(file: string, seen = new Set<string>()): string {
  if (seen.has(file)) return '';
  seen.add(file);
  const text = readFileSync(join(root, file), 'utf8');
  const imported = [...text.matchAll(/^(?:import|export) (?!type)[^;]*?from '(\.[^']+)\.js'/gm)].map(([, to = '']) =>
    normalize(join(dirname(file), `${to}.ts`)),
  );
  // The app's helper mentions the engines for test:engines, but starts none here.
  const followed = imported.filter((to) => to.startsWith('test/') && to !== 'test/support/app.ts');
  return [text, ...followed.map((to) => textOf(to, seen))].join('\n');
}

describe('the tiers', () => {
  it('contain only spec files, not the programs that these start', () => {
    const programs = globSync('test/**/*.child.mjs', { cwd: root });
    expect(programs.length).toBeGreaterThan(0);
    expect(secondTierOf(root, programs)).toEqual([]);
  });

  it('leave no spec that starts stand-in engines or several services to the first tier', () => {
    const starts = /new EventStoreDbTestServer\(|startMongoServer\(|startProcesses\(|new MockCluster\(/;
    expect(all.filter((file) => !second.includes(file) && starts.test(textOf(file)))).toEqual([]);
  });

  it('have only names that specs have', () => {
    expect(secondTierNames.filter((name) => !all.some((file) => name.test(`/${file}`)))).toEqual([]);
  });

  it('are also recognised by a line at the beginning of a spec, after that of the engines', () => {
    const file = 'test/api/flows/flows.spec.ts';
    expect(isSecondTier(file, '// Second tier.\nimport')).toBe(true);
    expect(isSecondTier(file, '// Engines: one process.\n// Second tier.\nimport')).toBe(true);
    expect(isSecondTier(file, '// Engines: one process.\nimport\n// Second tier.\n')).toBe(false);
  });
});

describe('the specs of the second tier that a change concerns', () => {
  it.each([
    ['of the engine', 'src/engine/sagas/saga-runner.ts'],
    ['of an adapter', 'src/adapters/leases/mongodb/mongo-leases.adapter.ts'],
    ['of a saga', 'src/sagas/sagas.ts'],
    ['of what the specs stand on', 'test/support/app.ts'],
    ['of the packages', 'package-lock.json'],
    ['of a file that nobody thought of', 'something-new/at-all.ts'],
  ])('are all after a change %s', (_, file) => {
    expect(secondTierFor([file, 'README.md'], second)).toEqual(second);
  });

  it('are all if the changes are unknown', () => {
    expect(secondTierFor(undefined, second)).toEqual(second);
  });

  it('are none after changes of documentation and of first-tier specs', () => {
    expect(
      secondTierFor(['README.md', 'test/api/flows/flows.spec.ts', 'src/kernel/event/event.spec.ts'], second),
    ).toEqual([]);
  });

  it('include the changed specs themselves', () => {
    expect(secondTierFor(['test/faults/work/flow-kill.spec.ts'], second)).toEqual([
      'test/faults/work/flow-kill.spec.ts',
    ]);
  });

  it('are the linter and the generated clients after a change of the OpenAPI document', () => {
    const changed = ['src/areas/sites/offer/offer.ts', 'test/contract/__snapshots__/open-api.spec.ts.snap'];
    expect(secondTierFor(changed, second)).toEqual([
      'test/clients/open-api-lint.spec.ts',
      'test/clients/python-tools.spec.ts',
      'test/clients/typescript-client.spec.ts',
    ]);
  });

  it('are those of an area after a change in the area', () => {
    const chosen = secondTierFor(['src/areas/flows/flow/flow.ts', 'projections/flows/flow.projection.ts'], second);
    expect([...chosen].sort()).toEqual([
      'test/api/flows/flow-processes.kafka.spec.ts',
      'test/faults/work/flow-kill.spec.ts',
      'test/faults/work/flow-take-over.spec.ts',
    ]);
  });
});

describe('real Kafka brokers', () => {
  it.each([
    'src/adapters/messages/kafka/kafka-topics.ts',
    'src/ports/messages.port.ts',
    'src/engine/messages/event-feed.ts',
    'src/engine/jobs/job.ts',
    'src/engine/step-work/step-work.ts',
    'src/areas/functions/run/run-work.ts',
    'src/areas/triggers/mailhook/inbound-requests.api.ts',
    'test/support/kafka/real-cluster.ts',
    'test/faults/kafka/kafka-rebalance.spec.ts',
    'package-lock.json',
  ])('are started after a change of %s', (file) => {
    expect(existsSync(join(root, file))).toBe(true);
    expect(concernsKafka(['README.md', file])).toBe(true);
  });

  it('are not started after other changes, but are if the changes are unknown', () => {
    expect(concernsKafka(undefined)).toBe(true);
    expect(concernsKafka(['src/adapters/messages/kafka/kafka-address.spec.ts', 'src/areas/flows/flow/flow.ts'])).toBe(
      false,
    );
  });

  it('are used by the contract suite and by fault specs', () => {
    expect(second.filter((file) => kafkaSpecs.test(file))).toEqual(
      expect.arrayContaining([
        'test/contracts/messages/messages.kafka.spec.ts',
        'test/contracts/messages/messages-secure.kafka.spec.ts',
        'test/faults/kafka/kafka-broker-kill.spec.ts',
        'test/faults/kafka/runner-kill.kafka.spec.ts',
      ]),
    );
  });
});

describe('specs on engines', () => {
  const api = '/test/api/functions/functions.spec.ts';

  it.each([
    ['// Engines: one process.\nimport', true, false],
    ['// Engines: one process, and several.\nimport', true, true],
    ['import', false, false],
  ])('are those whose first line declares it: %j', (text, one, several) => {
    expect([runsOnEngines(api, text, '1'), runsOnEngines(api, text, 'several')]).toEqual([one, several]);
  });

  it('are contract suites and the specs of their adapters, in one process', () => {
    const files = ['/test/contracts/blobs.embedded.spec.ts', '/test/faults/mongodb-indexes.spec.ts'];
    expect(files.map((file) => runsOnEngines(file, '', '1'))).toEqual([true, true]);
    expect(files.map((file) => runsOnEngines(file, '', 'several'))).toEqual([false, false]);
  });
});
