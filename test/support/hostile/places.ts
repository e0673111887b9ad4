import type { Reply, TestApp } from '../app.js';
import { agentWith } from '../automations/agents.js';
import { done } from '../people.js';
import type { AssistantServer } from '../servers/assistant-server.js';
import { type SiteVisitors, siteVisitors } from '../sites/site-visitors.js';
import type { Json } from './hostile-json.js';

/** Result of sending JSON to one place. */
export interface Kept {
  readonly reply: Reply;
  /** Returns what the service shows of the JSON afterwards. Not called if the JSON was refused. */
  shown(): Promise<unknown>;
}

/** A place where customers' JSON is stored. */
export interface Place {
  readonly what: string;
  /** Fields of operations that this place covers: `area/operation field`. */
  readonly of: readonly string[];
  /** `kept`: the JSON is accepted with any keys. `refused`: a single hostile key leads to 400 or 422. */
  readonly takes: 'kept' | 'refused';
  give(scene: HostileScene, json: Json): Promise<Kept>;
}

let made = 0;
export const nextName = (what: string): string => `${what} ${++made}`;

/** A workspace with a site, and with a function that returns its input. */
export class HostileScene {
  private constructor(
    readonly app: TestApp,
    readonly site: SiteVisitors,
    readonly echo: string,
    readonly agent: string,
    readonly smtpPort: number,
    /** Stand-in for the language model. */
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

  /** Creates an active function with this code. */
  async fn(code = 'return params'): Promise<string> {
    const { id } = await this.ok('automations/createFunction', { name: nextName('Function'), code });
    await this.ok('automations/updateFunction', { id, isActive: true });
    return id;
  }

  /** Sends a command. `shown` reads from its response what the service shows afterwards. */
  async give(operation: string, body: object, shown: (answer: Reply['body']) => Promise<unknown>): Promise<Kept> {
    const reply = await this.app.call(operation, body);
    return { reply, shown: () => shown(reply.body) };
  }
}
