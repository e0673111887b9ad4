import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SiteAccess } from '../../../src/areas/access/judging/site-access.api.js';
import { SitePolicies } from '../../../src/areas/access/policy/site-policies.api.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { judge } from '../../../src/kernel/judging/judge.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { conditions, factSets, policySets } from '../../support/conditions/condition-arbitraries.js';
import { policies } from '../../support/conditions/condition-facts.js';
import { expectedOutcome } from '../../support/conditions/condition-oracle.js';
import { runs } from '../../support/depth.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

/** The value after a round trip through JSON, as the store returns it. */
const stored = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value) ?? 'null');

describe('property: conditions and callers', () => {
  it('agree with a slow and simple interpreter', () => {
    const trees = 5_000;
    const callers = fc.array(factSets, { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(conditions, policySets, callers, (condition, set, all) => {
        const known = policies(set);
        for (const facts of all) {
          const { outcome, isAllowed } = judge(condition, facts, known);
          const expected = expectedOutcome(condition, facts, known);
          if (outcome !== expected) expect([condition, facts, outcome]).toEqual([condition, facts, expected]);
          expect(isAllowed).toBe(expected === 'allowed');
        }
      }),
      { numRuns: runs(trees), endOnFailure: true },
    );
  });
});

describe('property: with stored policies of a site', () => {
  let app: TestApp;
  let workspaceId: string;
  let count = 0;
  beforeAll(async () => {
    app = await sharedApp();
    workspaceId = (await done(app, 'workspace/getWorkspace')).id;
  });
  afterAll(() => app?.close());

  /** Appends policies to the log directly, because the operations would refuse some of them. */
  async function keep(set: Readonly<Record<string, unknown>>): Promise<string> {
    const projectId = `proj_${count++}`;
    const metadata = {
      workspaceId,
      actor: { kind: 'person', id: 'mem_1', name: 'Ada' } as const,
      correlationId: 'c',
      causationId: null,
      commandId: 'c',
      operation: 'site/createAccessPolicy',
      at: new Date().toISOString(),
    };
    const events = [
      { type: 'AccessPoliciesBegun', data: { projectId } },
      ...Object.entries(set).map(([policyId, condition]) => ({
        type: 'AccessPolicyCreated',
        data: { policyId, name: policyId, description: null, color: null, condition },
      })),
    ].map((event) => ({ ...event, id: randomUUID(), metadata }));
    await app.app
      .get(EventStore)
      .append([{ stream: streamOf('accessPolicies', workspaceId, projectId), expected: 'none', events }]);
    const sites = app.app.get(SitePolicies, { strict: false });
    await eventually(
      () => sites.of(workspaceId, projectId),
      (known) => Object.keys(set).every((id) => known(id) !== undefined),
    );
    return projectId;
  }

  it('a site admits exactly those whom the interpreter admits', async () => {
    const access = app.app.get(SiteAccess, { strict: false });
    const resource = { type: 'page', id: 'page_1', name: 'Home' } as const;
    const seen = { allowed: 0, other: 0 };
    await fc.assert(
      fc.asyncProperty(
        policySets,
        fc.array(conditions, { minLength: 40, maxLength: 40 }),
        fc.array(factSets, { minLength: 10, maxLength: 10 }),
        async (sent, trees, callers) => {
          const set = stored(sent);
          const projectId = await keep(set);
          for (const tree of trees) {
            for (const facts of callers) {
              const { now, throughSite, person, row, place } = facts;
              const visitor = { now, throughSite, ...(person === undefined ? {} : { person }) };
              const asked = { workspaceId, projectId, place, condition: tree, visitor, resource };
              const verdict = await access.judge(row === undefined ? asked : { ...asked, row });
              const { functions: _, ...known } = facts;
              const first = expectedOutcome(tree, known, policies(set));
              // The site has no functions, so asking one fails. `open` means that only a function could decide.
              const expected = first === 'open' ? 'fault' : first;
              seen[expected === 'allowed' ? 'allowed' : 'other'] += 1;
              if (verdict.outcome !== expected) expect([tree, set, verdict.outcome]).toEqual([tree, set, expected]);
            }
          }
        },
      ),
      { numRuns: runs(50), endOnFailure: true },
    );
    expect(Math.min(seen.allowed, seen.other)).toBeGreaterThan(50);
  }, 300_000);
});
