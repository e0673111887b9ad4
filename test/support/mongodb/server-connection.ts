import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Commands } from './commands.js';
import { Faults, isGreeting, type Mishap } from './faults.js';
import { notPrimaryCodes, Refusal } from './refusal.js';
import type { ReplicaSet } from './replica-set.js';
import { RetriedWrites } from './retried-writes.js';
import { answer, cut, type Fields, type Request, requestOf } from './wire.js';

/** What all connections of all members share: the data, and what is to go wrong. */
export class ServerState {
  readonly commands = new Commands();
  readonly faults = new Faults();
  readonly retried = new RetriedWrites();
  readonly seen: { readonly name: string; readonly command: Fields }[] = [];
  silent = false;
  connections = 0;
}

/** One client's connection to one member of the set. Its requests are answered one after the other. */
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
    socket.on('data', (chunk) => this.take(chunk));
  }

  private take(chunk: Buffer): void {
    const { messages, rest } = cut(Buffer.concat([this.arrived, chunk]));
    this.arrived = rest;
    for (const message of messages) {
      // What cannot be read or breaks the server itself ends the connection: a test must not go on over it.
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

  /** A client that allows it is told every change without asking again. */
  private async greet(request: Request): Promise<void> {
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
    if (typeof mishap === 'object' && 'slowMs' in mishap) await sleep(mishap.slowMs);
    try {
      if (typeof mishap === 'object' && 'code' in mishap) throw refused(mishap.code, command);
      if (!this.set.isPrimary(this.member)) throw refused(isWrite(name) ? 10107 : 13435, command);
      mustAskForMajority(name, command);
      this.state.seen.push({ name, command });
      const result = this.state.retried.answered(command) ?? this.state.commands.run(name, command);
      this.state.retried.remember(command, result);
      if (typeof mishap !== 'object' || !('writeConcernCode' in mishap)) return result;
      const code = mishap.writeConcernCode;
      return { ...result, writeConcernError: { code, codeName: 'WriteConcernTimeout', errmsg: 'waiting timed out' } };
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    }
  }
}

const isWrite = (name: string) => /^(insert|update|delete|createIndexes|drop|dropIndexes|dropDatabase)$/.test(name);

/** The label is what the driver goes by when it decides to send a write again. */
function refused(code: number, { txnNumber }: Fields): Refusal {
  const errorLabels = txnNumber === undefined ? [] : ['RetryableWriteError'];
  const name = notPrimaryCodes[code] ?? 'InjectedFault';
  return new Refusal(code, name, `refused with ${name}`, code in notPrimaryCodes ? { errorLabels } : {});
}

/** Nothing of ours may be lost in a failover, and this one server would never show it. */
function mustAskForMajority(name: string, { writeConcern, readConcern }: Fields): void {
  if (isWrite(name) && (writeConcern as Fields | undefined)?.['w'] !== 'majority') {
    throw new Refusal(2, 'BadValue', `${name} does not ask for a majority.`);
  }
  const level = (readConcern as Fields | undefined)?.['level'];
  if (/^(find|aggregate)$/.test(name) && level !== 'majority') {
    throw new Refusal(2, 'BadValue', `${name} does not ask for what a majority has.`);
  }
}
