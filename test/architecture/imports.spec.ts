import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { circles, files, type Import, imports, isOurs, reachedFrom, root, within } from './import-graph.js';

/** The folder `src/areas/<area>` of a file. */
const areaOf = (file: string) => /^src\/areas\/[^/]+(?=\/)/.exec(file)?.[0];
/** The `.slices.ts` of the area that the file belongs to. */
const contentsOf = (file: string) => `${areaOf(file)}/${areaOf(file)?.split('/').at(-1)}.slices.ts`;
/** The folder `src/areas/<area>/<slice>` of a file. */
const sliceOf = (file: string) => /^src\/areas\/[^/]+\/[^/]+(?=\/)/.exec(file)?.[0];

/** Whether other areas may import the file. */
const isFace = (file: string) => within(file, 'src/areas') && /\.(record|api|refusals)\.ts$/.test(file);

/** Files outside the entrances that read settings or log. All others get settings from their callers. */
const readsSettings: ReadonlySet<string> = new Set([
  'src/areas/account-events/trigger-run/fan-out.api.ts',
  'src/areas/approvals/pending-change/proposed-changes.api.ts',
  'src/areas/app-users/sign-in/site-links.ts',
  'src/areas/campaigns/suppression/unsubscribing.api.ts',
  'src/areas/payments/processor/processor-webhooks.api.ts',
  'src/areas/sites/custom-domain/custom-domain.operations.ts',
  'src/areas/triggers/mailhook/forgotten-mail-runs.ts',
  'src/areas/triggers/mailhook/inbound-steps.ts',
  'src/areas/triggers/mailhook/mailhook-addresses.ts',
  'src/areas/triggers/schedule/schedule-blocks.ts',
  'src/areas/functions/site-function/site-functions.ts',
  'src/areas/sites/file/file-links.api.ts',
  'src/areas/sites/project/new-projects.ts',
  'src/areas/sites/project/addresses/site-hosts.api.ts',
  'src/areas/sites/project/addresses/site-origins.api.ts',
  'src/areas/sites/project/settings/project-settings.operations.ts',
  'src/areas/sites/source-control/commit-authors.ts',
  'src/areas/sites/source-control/host-connections.ts',
  'src/areas/sites/source-control/site-changes.ts',
  'src/engine/jobs/job.ts',
  'src/engine/jobs/jobs.ts',
  'src/engine/cluster/worker.ts',
  'src/engine/lifecycle/workers.ts',
  'src/engine/personal-data/subject-keys.ts',
  'src/engine/health/readiness.ts',
  'src/engine/commands/record-limit.ts',
  'src/engine/quotas/recording-quota.ts',
  'src/engine/retention/retention.ts',
  'src/engine/read-models/read-your-writes.ts',
  'src/areas/triggers/webhook/new-webhooks.ts',
]);

interface Rule {
  readonly rule: string;
  broken(one: Import): boolean;
}

const rules: readonly Rule[] = [
  {
    rule: 'the kernel imports nothing of ours but itself, and no Nest',
    broken: ({ from, to }) =>
      within(from, 'src/kernel') && ((isOurs(to) && !within(to, 'src/kernel')) || to.startsWith('@nestjs/')),
  },
  {
    rule: 'ports import the kernel and one another',
    broken: ({ from, to }) => within(from, 'src/ports') && isOurs(to) && !within(to, 'src/kernel', 'src/ports'),
  },
  {
    rule: 'the engine knows no area, no adapter and no HTTP',
    broken: ({ from, to }) =>
      within(from, 'src/engine') && within(to, 'src/areas', 'src/adapters', 'src/http', 'src/sagas', 'projections'),
  },
  {
    rule: 'slices import of other slices .record, .api and .refusals, and of their own area what several slices use',
    broken: ({ from, to }) => {
      if (!within(from, 'src/areas') || !within(to, 'src/areas') || isFace(to)) return false;
      if (areaOf(from) === undefined) return !(to.endsWith('.slices.ts') || areaOf(to) === undefined);
      if (areaOf(from) !== areaOf(to)) return true;
      if (from === contentsOf(from)) return false;
      return sliceOf(to) === undefined ? to === contentsOf(to) : sliceOf(from) !== sliceOf(to);
    },
  },
  {
    rule: 'operations are bound by the engine alone: no other file declares a handler of @nestjs/cqrs',
    broken: ({ from, to }) => to === '@nestjs/cqrs' && !within(from, 'src/engine'),
  },
  {
    rule: 'slices import no adapter and no HTTP',
    broken: ({ from, to }) => within(from, 'src/areas') && within(to, 'src/adapters', 'src/http', 'src/sagas'),
  },
  {
    rule: 'sagas import the kernel, ports, the engine and, of areas, .record, .api and .refusals; their list also the sagas',
    broken: ({ from, to }) =>
      within(from, 'src/sagas') &&
      isOurs(to) &&
      !within(to, 'src/kernel', 'src/ports', 'src/engine') &&
      !isFace(to) &&
      !(from === 'src/sagas/sagas.ts' && within(to, 'src/sagas')),
  },
  {
    rule: 'HTTP, SMTP and the command line import of areas .record, .api, .refusals and what operations answer, and the list of sagas',
    broken: ({ from, to }) =>
      within(from, 'src/http', 'src/smtp', 'src/cli') &&
      within(to, 'src/areas', 'src/sagas') &&
      !isFace(to) &&
      to !== 'src/sagas/sagas.ts' &&
      !(within(from, 'src/http') && to.endsWith('.operations.ts')),
  },
  {
    rule: 'projections import the kernel, ports, .record and one another; their list also the areas’ slices',
    broken: ({ from, to }) =>
      within(from, 'projections') &&
      isOurs(to) &&
      !within(to, 'src/kernel', 'src/ports', 'projections') &&
      !to.endsWith('.record.ts') &&
      !(from === 'projections/projections.ts' && to === 'src/areas/areas.slices.ts'),
  },
  {
    rule: 'read models are known by their list, which app.module.ts and the command line import, and by nothing else',
    broken: ({ from, to }) =>
      within(to, 'projections') &&
      !within(from, 'projections') &&
      !(to === 'projections/projections.ts' && (from === 'src/app.module.ts' || within(from, 'src/cli'))),
  },
  {
    rule: 'adapters are named by app.module.ts alone',
    broken: ({ from, to }) =>
      within(to, 'src/adapters') && !within(from, 'src/adapters') && from !== 'src/app.module.ts',
  },
  {
    rule: 'adapters import the kernel, ports, the sandbox, texts with secrets and adapters',
    broken: ({ from, to }) =>
      within(from, 'src/adapters') &&
      isOurs(to) &&
      !within(to, 'src/kernel', 'src/ports', 'src/sandbox', 'src/secret-text', 'src/adapters'),
  },
  {
    rule: 'settings are read by the entrances and the start, and elsewhere only by the files listed here',
    broken: ({ from, to }) =>
      within(to, 'src/config') &&
      !within(from, 'src/config', 'src/http', 'src/smtp', 'src/cli') &&
      !/^src\/[^/]+\.ts$/.test(from) &&
      !readsSettings.has(from),
  },
  {
    rule: 'the messages that EventStoreDB’s client generates are imported by one file',
    broken: ({ from, to }) =>
      to.startsWith('@eventstore/db-client/generated') && from !== 'src/adapters/event-store/eventstoredb/protocol.ts',
  },
  {
    rule: 'only the HTTP edge and the command line know of statuses and pages',
    broken: ({ from, to }) => within(to, 'src/http') && !within(from, 'src/http') && !/^src\/[^/]+\.ts$/.test(from),
  },
];

describe('imports', () => {
  it.each(rules)('follow the rule: $rule', ({ broken }) => {
    expect(imports.filter(broken).map(({ from, line, to }) => `${from}:${line} imports ${to}`)).toEqual([]);
  });

  it('of adapters include every port: one that only areas implement belongs in an .api of its slice', () => {
    const ports = files.filter((file) => within(file, 'src/ports'));
    const implemented = new Set(imports.filter(({ from }) => from.endsWith('.adapter.ts')).map(({ to }) => to));
    expect(ports.filter((port) => !implemented.has(port))).toEqual([]);
  });

  it('of settings are listed as exceptions only where they exist', () => {
    const reads = new Set(imports.filter(({ to }) => within(to, 'src/config')).map(({ from }) => from));
    expect([...readsSettings].filter((file) => !reads.has(file))).toEqual([]);
  });

  it('of code in the sandbox process lead only to the sandbox, to data of the kernel and to the port', () => {
    const reached = reachedFrom('src/sandbox/child.ts', imports);
    expect(reached.filter((file) => isOurs(file) && !within(file, 'src/sandbox')).sort()).toEqual([
      'src/kernel/json/json.ts',
      'src/ports/offloaded/sandbox.port.ts',
    ]);
  });

  it('have no cycles, including type imports', () => {
    expect(circles(imports)).toEqual([]);
  });

  it('in a cycle are reported, however long it is', () => {
    const line = (from: string, to: string) => ({ from, line: 1, to });
    expect(circles([line('a', 'b'), line('b', 'c'), line('c', 'a'), line('c', 'd')])).toEqual(['a, b, c']);
    expect(circles([line('a', 'b'), line('a', 'c'), line('b', 'c')])).toEqual([]);
  });

  it('are found at all', () => {
    expect(imports.length).toBeGreaterThan(300);
    expect(imports).toContainEqual(expect.objectContaining({ from: 'src/main.ts', to: 'src/serve.ts' }));
  });
});

describe('files', () => {
  const suffixes =
    /\.(api|record|refusals|slices|operations|projection|saga|port|adapter|module|controller|filter|d)\.ts$/;

  it('are named in kebab-case, with suffixes of the closed list', () => {
    const named = files.filter((file) => !/^[a-z0-9-]+(\.[a-z]+)?\.ts$/.test(relative(dirname(file), file)));
    const suffixed = files.filter((file) => /\.[a-z]+\.ts$/.test(file) && !suffixes.test(file));
    expect([...named, ...suffixed]).toEqual([]);
  });

  it('are directly in an area only as its .slices.ts or refusals, or if at least two of its slices use them', () => {
    const stray = files.filter((file) => {
      if (areaOf(file) === undefined || sliceOf(file) !== undefined || file === contentsOf(file)) return false;
      if (file.endsWith('.refusals.ts')) return false;
      const users = imports.filter(({ from, to }) => to === file && areaOf(from) === areaOf(file));
      return new Set(users.flatMap(({ from }) => sliceOf(from) ?? [])).size < 2;
    });
    expect(stray).toEqual([]);
  });

  it('of all areas together are the module and the lists of slices and refusals', () => {
    const whole = files.filter((file) => within(file, 'src/areas') && areaOf(file) === undefined);
    expect(whole.sort()).toEqual([
      'src/areas/areas.module.ts',
      'src/areas/areas.refusals.ts',
      'src/areas/areas.slices.ts',
    ]);
  });

  it('are no catch-alls: no utils, common, helpers, shared, and no barrel', () => {
    const drawers = files.filter((file) => /\/(utils?|common|helpers?|shared|index)(\.ts|\/)/.test(file));
    expect(drawers).toEqual(['src/site-module/index.ts']); // the entry of a package
  });

  it('of 20 lines or fewer have a second importer, a spec or a role of their own', () => {
    const importers = Map.groupBy(imports, ({ to }) => to);
    const exists = (file: string) => existsSync(join(root, file));
    const joined = files.filter((file) => {
      const [only, ...others] = [...new Set((importers.get(file) ?? []).map(({ from }) => from))];
      // Files that only a `.slices.ts` imports, and programs that a thread runs, are exempt.
      if (only === undefined || others.length > 0 || only.endsWith('.slices.ts') || suffixes.test(file)) return false;
      if (dirname(only) !== dirname(file)) return false;
      const isDecision = exists(file.replace(/\.ts$/, '.operations.ts'));
      const hasSpec = exists(file.replace(/\.ts$/, '.spec.ts'));
      return !isDecision && !hasSpec && readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length <= 20;
    });
    expect(joined).toEqual([]);
  });

  it('are imported by another, unless they are programs, types, adapters or parts of the site module', () => {
    const imported = new Set(imports.map(({ to }) => to));
    // Adapters of engines are loaded when they are chosen.
    const others = /^src\/(main|cli)\.ts$|\b(thread|child)\.ts$|\.(d|adapter)\.ts$|^src\/site-module\//;
    expect(files.filter((file) => !imported.has(file) && !others.test(file))).toEqual([]);
  });

  it('stay short, or state in their first line why not', () => {
    const long = files.filter((file) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n');
      return lines.length > 300 && !lines[0]?.startsWith('//');
    });
    expect(long).toEqual([]);
  });
});
