import type { Visitor } from '../../../src/areas/access/judging/visitor.api.js';
import { SiteFunctionCalls } from '../../../src/areas/functions/run/visitors/site-function-calls.api.js';
import { Refusal } from '../../../src/kernel/refusals/refusal.js';
import { Sandbox } from '../../../src/ports/offloaded/sandbox.port.js';
import type { TestApp } from '../app.js';
import { done } from '../people.js';

/** Functions of one site, for specs that call them in different ways. */
export class SiteFunctionsScene {
  constructor(
    readonly app: TestApp,
    readonly projectId: string,
  ) {}

  static async of(app: TestApp, name = 'Shop'): Promise<SiteFunctionsScene> {
    return new SiteFunctionsScene(app, (await done(app, 'site/createProject', { name })).id);
  }

  create(name: string, code: string, more: object = {}) {
    return done(this.app, 'site/createBackendFunction', { projectId: this.projectId, name, code, ...more });
  }

  /**
   * Creates a function for access rules, and waits until a sandbox process is ready: such a function must answer within
   * two seconds, and on a busy machine a process takes longer to start.
   */
  async createGate(name: string, code: string, more: object = {}) {
    const gate = await this.create(name, code, more);
    await this.app.app.get(Sandbox, { strict: false }).check();
    return gate;
  }

  update(functionId: string, more: object) {
    return done(this.app, 'site/updateBackendFunction', { projectId: this.projectId, functionId, ...more });
  }

  invoke(functionName: string, params: object = {}, key?: string) {
    return this.app.call('site/invokeBackendFunction', { projectId: this.projectId, functionName, params }, key);
  }

  /** Calls a function, and returns its result. */
  async result(functionName: string, params: object = {}) {
    const { status, body } = await this.invoke(functionName, params);
    if (status !== 200) throw new Error(`${functionName}: ${status} ${body.detail}`);
    return body.data;
  }

  async runs(more: object = {}, key?: string) {
    return (await done(this.app, 'site/listFunctionRuns', { projectId: this.projectId, ...more }, key)).runs;
  }

  /** Grants powers to a function, as the Owner. */
  async empower(functionId: string, capabilities: readonly string[]): Promise<void> {
    const named = { projectId: this.projectId, functionId };
    const { version: seenVersion } = await done(this.app, 'site/getBackendFunction', named);
    const asked = await this.app.call('site/setFunctionCapabilities', { ...named, capabilities, seenVersion });
    await this.approve(asked.body);
  }

  async approve(answer: { readonly pendingChange: { readonly id: string; readonly hash: string } }): Promise<void> {
    const { id, hash } = answer.pendingChange;
    await done(this.app, 'approvals/approvePendingChange', { id, hash });
  }

  /** Calls a function as a visitor. Returns its result, the code of the refusal, or the function's own error. */
  async visit(functionName: string, { visitor = nobody, pageId = null, params = {} }: Visit = {}): Promise<unknown> {
    const calls = this.app.app.get(SiteFunctionCalls, { strict: false });
    const { id: workspaceId } = await done(this.app, 'workspace/getWorkspace');
    try {
      const report = await calls.call({
        workspaceId,
        projectId: this.projectId,
        functionName,
        params: params as never,
        visitor,
        pageId,
      });
      return report.ok ? report.result : { error: report.error };
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      throw error;
    }
  }
}

interface Visit {
  readonly visitor?: Visitor;
  readonly pageId?: string | null;
  readonly params?: object;
}

export const nobody: Visitor = { now: Date.now(), throughSite: true };

/** Returns a visitor who has signed in to the site. */
export function siteUser(more: Partial<{ id: string; email: string; roleIds: string[]; plan: string }> = {}): Visitor {
  const { id = 'user_1', email = 'ada@example.com', roleIds = [], plan = 'basic' } = more;
  const properties = { email, name: 'Ada', plan };
  return { now: Date.now(), throughSite: true, person: { id, email, roleIds, entitlements: [], properties } };
}
