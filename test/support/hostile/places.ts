import type { Reply, TestApp } from '../app.js';
import { agentWith } from '../automations/agents.js';
import { done } from '../people.js';
import type { AssistantServer } from '../servers/assistant-server.js';
import { type SiteVisitors, siteVisitors } from '../sites/site-visitors.js';
import type { Json } from './hostile-json.js';

/** How one place has taken what it was given. */
export interface Kept {
  readonly reply: Reply;
  /** What is shown of it afterwards; not asked for when it was refused. */
  shown(): Promise<unknown>;
}

/** A place where JSON of customers is kept. */
export interface Place {
  readonly what: string;
  /** Fields of operations that it stands for: `area/operation field`. */
  readonly of: readonly string[];
  /** `kept`: whatever the keys are. `refused`: with 400 or 422, as soon as one key is hostile. */
  readonly takes: 'kept' | 'refused';
  give(scene: HostileScene, json: Json): Promise<Kept>;
}

let made = 0;
export const nextName = (what: string): string => `${what} ${++made}`;

/** A workspace with a site, and a function that answers what it is given. */
export class HostileScene {
  private constructor(
    readonly app: TestApp,
    readonly site: SiteVisitors,
    readonly echo: string,
    readonly agent: string,
    readonly smtpPort: number,
    /** Stands in for the language model. */
    readonly assistant: AssistantServer,
  ) {}

  static async of(app: TestApp, smtpPort: number, assistant: AssistantServer): Promise<HostileScene> {
    await done(app, 'workspace/updateSettings', { versions: false });
    const site = await siteVisitors(app);
    const { id } = await done(app, 'automations/createFunction', { name: 'Echo', code: 'return params' });
    await done(app, 'automations/updateFunction', { id, isActive: true });
    const agent = await agentWith(app);
    return new HostileScene(app, site, id, agent.id, smtpPort, assistant);
  }

  get projectId(): string {
    return this.site.projectId;
  }

  ok(operation: string, body: object = {}) {
    return done(this.app, operation, body);
  }

  /** A function with this code, active. */
  async fn(code = 'return params'): Promise<string> {
    const { id } = await this.ok('automations/createFunction', { name: nextName('Function'), code });
    await this.ok('automations/updateFunction', { id, isActive: true });
    return id;
  }

  /** A command, and what the answer of a query says at these names. */
  async give(operation: string, body: object, shown: (answer: Reply['body']) => Promise<unknown>): Promise<Kept> {
    const reply = await this.app.call(operation, body);
    return { reply, shown: () => shown(reply.body) };
  }
}
