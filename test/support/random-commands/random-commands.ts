import '../../../src/app.module.js';
import { findOperation } from '../../../src/engine/operation/operation.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { Reply, TestApp } from '../app.js';
import { automationMoves } from './automations.js';
import { baseMoves } from './bases.js';
import { Draw } from './draw.js';
import { type Move, NotNow, Scene, type Sent } from './move.js';
import { siteFunctionMoves } from './site-functions.js';
import { sitePeopleMoves } from './site-people.js';
import { siteMoves } from './sites.js';
import { workspaceMoves } from './workspace.js';
import { World } from './world.js';

const drawn: readonly Move[] = [
  ...workspaceMoves,
  ...automationMoves,
  ...baseMoves,
  ...siteMoves,
  ...siteFunctionMoves,
  ...sitePeopleMoves,
];
export const moves: readonly Move[] = drawn.filter(
  ({ operation }) => operation.startsWith('visitor/') || findOperation(operation) !== undefined,
);

/** Commands without a move, each with what it would need. Every command must have a move or be listed here. */
export const withoutMoves: Readonly<Record<string, string>> = {
  'agents/runAgent': 'a language model',
  'approvals/askAgain': 'a card that is void',
  'connections/testMcpConnection': 'a server of tools',
  'automations/aiAuthor': 'a language model',
  'automations/replayRun': 'an accepted run that failed, with its input kept',
  'automations/rerunInboundEmail': 'mail that was received',
  'automations/testMailAccount': 'a mail server',
  'site/bundleDeps': 'a package registry',
  'site/connectGitHost': 'a git host',
  'site/createFileUpload': 'an upload to its link',
  'site/createProcessorProduct': 'a payment processor',
  'site/deletePublicFile': 'a file that was uploaded',
  'site/disconnectGitHost': 'a git host',
  'site/gitCommit': 'a repository, which snapshots have nothing of',
  'site/gitCreateBranch': 'a commit',
  'site/gitCreateRepo': 'a git host',
  'site/gitMerge': 'two branches',
  'site/gitPull': 'a git host',
  'site/gitPush': 'a git host',
  'site/gitRollback': 'a commit',
  'site/gitSwitchBranch': 'two branches',
  'site/pauseCampaign': 'a mailing that is going out',
  'site/resumeCampaign': 'a mailing that is paused',
  'site/scheduleCampaign': 'a mailbox',
  'site/sendCampaign': 'a mail server',
  'site/testCampaign': 'a mail server',
  'site/publish': 'a build, which goes on after the answer',
  'site/registerProcessorWebhook': 'a payment processor',
  'site/rollBackPublish': 'a publish',
  'site/serverProxy': 'a server elsewhere',
  'site/syncProcessorProducts': 'a payment processor',
  'site/toggleProcessorMode': 'a payment processor',
  'site/unpublish': 'a publish',
  'site/verifyCustomDomain': 'a DNS server',
};

/** A command that was sent, and its result. */
export interface Step {
  readonly operation: string;
  readonly body: Sent;
  readonly status: number;
  readonly answer: Reply['body'];
  /** Positions of the log's last event before and after the command. -1 if the log was empty. */
  readonly headBefore: number;
  readonly headAfter: number;
  /** Time of the response, in milliseconds since 1970. */
  readonly at: number;
}

/** A move with its body, which can be sent or tried as a dry run. */
export interface Drawn {
  readonly operation: string;
  readonly body: Sent;
  send(headers?: Record<string, string>): Promise<Reply>;
  /** Records the result for later moves. */
  note(reply: Reply): Promise<void>;
}

/**
 * Sends random commands of all areas to a running service. Nearly all of them are valid. Each step has its own seed, so
 * a failing sequence can be shortened by leaving out steps.
 */
export class RandomCommands {
  readonly world = new World();
  private readonly made = new Map<string, number>();
  private readonly sent = new Map<string, number>();

  constructor(private readonly app: TestApp) {}

  /** Number of successful calls by operation. */
  get done(): ReadonlyMap<string, number> {
    return this.made;
  }

  /** Whether the operation has not succeeded yet and has not been refused too often. */
  private isFresh({ operation }: Move): boolean {
    return !this.made.has(operation) && (this.sent.get(operation) ?? 0) < 5;
  }

  /** Draws the next command. In half of the cases, it is one that has not succeeded yet. */
  async draw(seed: number): Promise<Drawn> {
    const draw = new Draw(seed);
    const scene = new Scene(draw, this.world, this.app);
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const fresh = draw.chance(0.5) ? moves.filter((one) => this.isFresh(one)) : [];
      const move = weighted(draw, fresh.length > 0 ? fresh : moves);
      try {
        return this.drawn(move, scene, await move.body(scene));
      } catch (error) {
        if (!(error instanceof NotNow)) throw error;
      }
    }
    throw new Error('No move is possible: there should always be something that can be made.');
  }

  /** Draws a command, sends it, and returns the result. */
  async step(seed: number): Promise<Step> {
    const { operation, body, send, note } = await this.draw(seed);
    const headBefore = await headOf(this.app);
    const reply = await send();
    const headAfter = await headOf(this.app);
    await note(reply);
    return { operation, body, status: reply.status, answer: reply.body, headBefore, headAfter, at: Date.now() };
  }

  private drawn(move: Move, scene: Scene, body: Sent): Drawn {
    const { operation } = move;
    return {
      operation,
      body,
      send: (headers = {}) =>
        move.send === undefined ? this.app.call(operation, body, undefined, headers) : move.send(scene, body),
      note: async ({ status, body: answer }) => {
        count(this.sent, operation);
        if (status >= 400 && operation.startsWith('approvals/')) this.world.forget(body.id);
        if (status === 202 && answer.pendingChange !== undefined) this.world.add('card', answer.pendingChange);
        if (status !== 200 && status !== 202) return;
        count(this.made, operation);
        if (typeof answer?.undo?.id === 'string') this.world.add('notice', { id: answer.undo.id });
        // With status 202, the change waits for approval, so it has not happened.
        if (status === 200) await move.done?.(scene, answer, body);
      },
    };
  }
}

const count = (counts: Map<string, number>, operation: string) =>
  counts.set(operation, (counts.get(operation) ?? 0) + 1);

function weighted(draw: Draw, from: readonly Move[]): Move {
  let rest = draw.next() * from.reduce((sum, { weight = 1 }) => sum + weight, 0);
  for (const move of from) {
    rest -= move.weight ?? 1;
    if (rest < 0) return move;
  }
  return draw.from(from);
}

/** Returns the position of the log's last event, or -1 if the log is empty. */
export async function headOf(app: TestApp): Promise<number> {
  return app.app.get(EventStore, { strict: false }).head();
}
