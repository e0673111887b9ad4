import type { Reply, TestApp } from '../app.js';
import type { Thing } from './world.js';

/** How to read the current state of a resource: a query, and the part of its response that is the resource. */
interface Look {
  readonly operation: string;
  readonly body: object;
  /** Finds the resource in the response. By default, the whole response is the resource. */
  readonly find?: (answer: Reply['body']) => unknown;
}

type Facts = Thing;

const byId =
  (list: (answer: Reply['body']) => unknown, id: string) =>
  (answer: Reply['body']): unknown => {
    const found = list(answer);
    return Array.isArray(found) ? found.find((one) => one.id === id) : undefined;
  };
const itself = (answer: Reply['body']) => answer;
const gets =
  (operation: string, more: (facts: Facts) => object = () => ({})) =>
  (facts: Facts): Look => ({ operation, body: { id: facts.id, ...more(facts) } });
const lists =
  (operation: string, body: (facts: Facts) => object = () => ({}), list = itself) =>
  (facts: Facts): Look => ({ operation, body: body(facts), find: byId(list, facts.id) });
const project = ({ projectId }: Facts) => ({ projectId });

/**
 * Triggers of a site have their own list. For the workspace, there is one list for functions and another for all other
 * targets.
 */
const triggersOf =
  (list: 'schedules' | 'webhooks') =>
  ({ id, projectId, functionId, targetKind, targetRef }: Facts): Look => {
    if (typeof projectId === 'string')
      return { operation: 'site/listSchedules', body: { projectId }, find: byId(itself, id) };
    const find = byId((answer) => answer[list], id);
    return functionId !== undefined || targetKind === 'account_function'
      ? { operation: 'automations/listTriggers', body: { functionId: functionId ?? targetRef }, find }
      : { operation: 'automations/listTargetTriggers', body: { targetKind, targetRef }, find };
  };

/** For each kind of resource, the query that returns it. */
const looks: Readonly<Record<string, (facts: Facts) => Look>> = {
  agent: lists('workspace/listAgents'),
  apiKey: lists('workspace/listApiKeys'),
  appUser: ({ id, projectId }) => ({ operation: 'site/getAppUser', body: { projectId, userId: id } }),
  base: gets('bases/getBase'),
  component: gets('site/getComponent'),
  coupon: ({ projectId, code }) => ({
    operation: 'site/listCoupons',
    body: { projectId },
    find: (answer) => {
      const found = answer.find((one: Thing) => one['code'] === code);
      // `reserved` depends on the time, and is not a field of the coupon.
      const { reserved: _, ...coupon } = found ?? {};
      return found && coupon;
    },
  }),
  customDomain: ({ id }) => ({
    operation: 'site/getCustomDomainStatus',
    body: { id },
    find: (answer) => (answer.status === 'none' ? null : answer),
  }),
  emailTemplate: gets('site/getEmailTemplate'),
  entitlement: ({ projectId, appUserId, key }) => ({
    operation: 'site/getEntitlements',
    body: { projectId, appUserId },
    find: (answer) => answer.find((one: Thing) => one['key'] === key),
  }),
  envVar: ({ id }) => ({
    operation: 'automations/listEnvVars',
    body: {},
    find: (answer) => answer.find((one: Thing) => one['name'] === id),
  }),
  eventTrigger: lists('accountEvents/listEventTriggers'),
  flow: gets('flows/getFlow'),
  function: gets('automations/getFunction'),
  mailAccount: lists('automations/listMailAccounts'),
  mailhook: lists(
    'automations/listMailhooks',
    () => ({}),
    ({ mailhooks }) => mailhooks,
  ),
  member: lists(
    'workspace/listMembers',
    () => ({}),
    ({ members }) => members,
  ),
  offer: ({ projectId, key }) => ({
    operation: 'site/listOffers',
    body: { projectId },
    find: (answer) => answer.find((one: Thing) => one['key'] === key),
  }),
  page: gets('site/getPage'),
  pendingChange: ({ id }) => ({
    operation: 'approvals/getPendingChange',
    body: { id },
    // Context and risks are computed from other records as they are now.
    find: ({ context: _, risks: __, ...card }) => card,
  }),
  processorConnection: ({ projectId }) => ({
    operation: 'site/getProcessorConnection',
    body: { projectId },
    // The other members are derived from secrets and payments, and are not fields of the connection.
    find: ({ mode, manualPayments, test, live, lastError }) => ({
      mode,
      manualPayments,
      test: { webhook: test.webhook },
      live: { webhook: live.webhook },
      lastError,
    }),
  }),
  project: ({ id }) => ({
    operation: 'site/getProject',
    body: { id },
    // The address is derived from the project's domains and the service's own address.
    find: ({ publishedUrl: _, ...project }) => project,
  }),
  row: ({ id, tableId }) => ({ operation: 'bases/getRow', body: { tableId, id } }),
  siteEnvVar: lists('site/listEnvVars', project),
  siteFunction: ({ id, projectId }) => ({ operation: 'site/getBackendFunction', body: { projectId, functionId: id } }),
  table: gets('bases/getTable'),
  schedule: triggersOf('schedules'),
  webhook: triggersOf('webhooks'),
  workspace: () => ({ operation: 'workspace/getWorkspace', body: {} }),
};

export const lookedAt = Object.keys(looks);

/**
 * Returns the current state of a resource, or null if it does not exist. Returns undefined if no operation returns
 * resources of this kind.
 */
export async function liveAnswer(app: TestApp, kind: string, facts: Facts): Promise<object | null | undefined> {
  const look = looks[kind]?.(facts);
  if (look === undefined) return undefined;
  const { status, body } = await app.call(look.operation, look.body);
  if (status === 404) return null;
  if (status !== 200) throw new Error(`${look.operation}: ${status} ${body.detail}`);
  return (look.find === undefined ? body : (look.find(body) ?? null)) as object | null;
}
