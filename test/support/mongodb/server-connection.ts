import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Commands } from './commands.js';
import { Faults, isGreeting, type Mishap } from './faults.js';
import { countOf, type OpTimes, timesOf } from './optimes.js';
import { badValue, notPrimaryCodes, Refusal, timeLimitExceeded } from './refusal.js';
import type { ReplicaSet } from './replica-set.js';
import { Statements } from './statements.js';
import { Transactions } from './transactions.js';
import { answer, cut, type Fields, type Request, requestOf } from './wire.js';

/** State shared by all connections of all members: the data, and the pending faults. */
export class ServerState {
  readonly commands = new Commands();
  readonly faults = new Faults();
  readonly transactions: Transactions;
  readonly statements = new Statements();
  readonly seen: { readonly name: string; readonly command: Fields }[] = [];
  /** Ids of connections on which clients monitor a member. There is one for each client and member. */
  readonly watching = new Set<number>();
  silent = false;
  connections = 0;

  constructor(
    readonly times: OpTimes,
    transactionsLastMs: number,
  ) {
    this.transactions = new Transactions(transactionsLastMs);
  }
}

/** A client's connection to one member of the set. Requests are handled one at a time. */
export class ServerConnection {
  private readonly id: number;
  private arrived: Buffer = Buffer.alloc(0);
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly socket: Socket,
    private readonly member: number,
    private readonly set: ReplicaSet,
    private readonly state: ServerState,
  ) {
    state.connections += 1;
    this.id = state.connections;
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => state.watching.delete(this.id));
    socket.on('data', (chunk) => this.take(chunk));
  }

  private take(chunk: Buffer): void {
    const { messages, rest } = cut(Buffer.concat([this.arrived, chunk]));
    this.arrived = rest;
    for (const message of messages) {
      // An unreadable request, or an error of this server, ends the connection, so that the test fails.
      this.work = this.work
        .then(() => this.serve(requestOf(message)))
        .catch((error) => {
          this.socket.destroy(error);
        });
    }
  }

  private async serve(request: Request): Promise<void> {
    const name = Object.keys(request.command)[0] ?? '';
    const mishap = this.state.silent ? undefined : this.state.faults.next(name, request.command);
    if (mishap === 'silence before') this.state.silent = true;
    if (this.state.silent) return;
    if (mishap === 'drop before') this.socket.destroy();
    if (this.socket.destroyed) return;
    if (isGreeting(name)) return this.greet(request);
    const result = await this.result(name, request.command, mishap);
    if (mishap === 'silence after') this.state.silent = true;
    if (mishap === 'drop after') this.socket.destroy();
    if (!this.state.silent && !request.unanswered && !this.socket.destroyed)
      this.socket.write(answer(request, result).bytes);
  }

  /** Answers a greeting. If the client allows it, sends further greetings whenever the topology changes. */
  private async greet(request: Request): Promise<void> {
    if (request.exhaust) this.state.watching.add(this.id);
    for (let to = request; !this.socket.destroyed; ) {
      const greeting = await this.set.greeting(this.member, to.command, this.id);
      if (this.state.silent || this.socket.destroyed) return;
      const { id, bytes } = answer(to, greeting, to.exhaust);
      this.socket.write(bytes);
      if (!to.exhaust) return;
      to = { ...to, id, command: { ...to.command, topologyVersion: greeting['topologyVersion'] } };
    }
  }

  private async result(name: string, command: Fields, mishap: Mishap | undefined): Promise<Fields> {
    const { times } = this.state;
    try {
      if (typeof mishap === 'object' && 'slowMs' in mishap) await slow(mishap.slowMs, command);
      if (typeof mishap === 'object' && 'code' in mishap) {
        throw refused(mishap.code, name, mishap.unlabelled ? {} : command);
      }
      if (!this.set.isPrimary(this.member)) throw refused(isWrite(name) ? 10107 : 13435, name, command);
      mustAskForMajority(name, command);
      await this.heard(command);
      this.state.seen.push({ name, command });
      this.state.statements.begin(command, mishap, (code) => refused(code, name, command));
      const result = await this.run(name, command);
      const lost = typeof mishap === 'object' && 'writeConcernCode' in mishap ? mishap.writeConcernCode : undefined;
      const code = lost ?? ((await this.confirmed(name, command)) ? undefined : 64);
      const answered = { ...result, ...timesOf(isWrite(name) ? times.last : times.readable(this.member), times.last) };
      if (code === undefined) return answered;
      return { ...answered, writeConcernError: { code, codeName: 'WriteConcernTimeout', errmsg: 'waiting timed out' } };
    } catch (error) {
      if (error instanceof Refusal) return { ...error.answer, ...timesOf(times.readable(this.member), times.last) };
      throw error;
    }
  }

  /**
   * Runs a command. As in MongoDB, a write outside transactions waits for a conflicting transaction until its time is
   * over, and is not refused before.
   */
  private async run(name: string, command: Fields): Promise<Fields> {
    const { commands, times, transactions } = this.state;
    const until = performance.now() + Number(command['maxTimeMS'] ?? Number.POSITIVE_INFINITY);
    for (;;) {
      const at = times.readable(this.member);
      const transaction =
        name === 'commitTransaction' || name === 'abortTransaction' ? undefined : transactions.of(command, () => at);
      const view = {
        at: transaction?.snapshot ?? (isWrite(name) ? Number.POSITIVE_INFINITY : at),
        transaction,
        transactions,
        now: () => times.next(),
        oldest: transactions.oldest(times.oldest),
      };
      try {
        const result = await commands.run(name, command, view);
        // In a transaction, a failed statement aborts the transaction.
        if (transaction !== undefined && 'writeErrors' in result) transactions.end(command, 'aborted');
        return result;
      } catch (error) {
        if (transaction !== undefined && error instanceof Refusal) transactions.end(command, 'aborted');
        if (transaction !== undefined || !(error instanceof Refusal) || error.code !== 112) throw error;
        if (performance.now() > until) throw timeLimitExceeded();
      }
      await sleep(5);
    }
  }

  /** In a causal session, a read waits until this member knows the state that the session has seen. */
  private async heard({ readConcern, maxTimeMS }: Fields): Promise<void> {
    const after = countOf((readConcern as Fields | undefined)?.['afterClusterTime']);
    if (!(await this.state.times.heard(this.member, after, Number(maxTimeMS ?? 10_000)))) throw timeLimitExceeded();
  }

  private async confirmed(name: string, { autocommit, writeConcern }: Fields): Promise<boolean> {
    const isInside = autocommit === false && !isTransactionCommand(name);
    if (!isWrite(name) || isInside) return true;
    const patienceMs = Number((writeConcern as Fields | undefined)?.['wtimeout'] ?? 10_000);
    return this.state.times.confirmed(this.state.times.last, patienceMs);
  }
}

/** A command that exceeds its time limit has no effect here. In MongoDB, a part of it may have been done. */
async function slow(ms: number, { maxTimeMS }: Fields): Promise<void> {
  const mostMs = Number(maxTimeMS ?? Number.POSITIVE_INFINITY);
  await sleep(Math.min(ms, mostMs));
  if (ms > mostMs) throw timeLimitExceeded();
}

const isTransactionCommand = (name: string) => /^(commit|abort)Transaction$/.test(name);
const isWrite = (name: string) =>
  /^(insert|update|delete|create|createIndexes|drop|dropIndexes|dropDatabase)$/.test(name) ||
  isTransactionCommand(name);

/** Returns a refusal with the labels by which the driver decides whether to retry a write or a transaction. */
function refused(code: number, name: string, { txnNumber, autocommit }: Fields): Refusal {
  const label =
    autocommit === false && name !== 'commitTransaction' ? 'TransientTransactionError' : 'RetryableWriteError';
  const errorLabels = txnNumber === undefined ? [] : [label];
  const codeName = notPrimaryCodes[code] ?? 'InjectedFault';
  const isLabelled = code in notPrimaryCodes || (code === 112 && autocommit === false);
  return new Refusal(code, codeName, `refused with ${codeName}`, isLabelled ? { errorLabels } : {});
}

/**
 * Refuses commands that do not request a majority. The service must not lose data in a failover, and this server with
 * its single set of data would not show such a mistake.
 */
function mustAskForMajority(
  name: string,
  { writeConcern, readConcern, autocommit, startTransaction, pipeline }: Fields,
): void {
  const level = (readConcern as Fields | undefined)?.['level'];
  if (autocommit === false && !isTransactionCommand(name)) {
    if (startTransaction === true && level !== 'snapshot') throw badValue('A transaction does not ask for a snapshot.');
    return;
  }
  if (isWrite(name) && (writeConcern as Fields | undefined)?.['w'] !== 'majority') {
    throw badValue(`${name} does not ask for a majority.`);
  }
  const [first = {}] = (pipeline ?? []) as readonly Fields[];
  if (!('$collStats' in first) && /^(find|aggregate)$/.test(name) && level !== 'majority') {
    throw badValue(`${name} does not ask for what a majority has.`);
  }
}
