import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Clock } from '../../ports/clock.port.js';
import { Vault } from '../../ports/vault.port.js';
import { PerTrial } from '../dry-run/trial.js';
import { SubjectCipher } from './subject-cipher.js';

/** Whose personal data: one record. */
export interface Subject {
  readonly workspaceId: string;
  readonly category: string;
  readonly id: string;
}

interface Held {
  readonly cipher: SubjectCipher;
  readonly until: number;
}

/** A key that another process destroyed is used at most this much longer. In a single process nobody else destroys any. */
const trustedMs = 900;
const mostHeld = 5_000;

/**
 * The key of each person, an entry of the vault. Erasing replaces it by an empty entry, in one step: so a key that is
 * gone is told from one that was never made, and no process that is late makes a new one.
 */
@Injectable()
export class SubjectKeys {
  private readonly ciphers = new PerTrial(() => new Map<string, Held>());
  /** Keys being looked up, so that answers made at the same time ask the vault once. */
  private readonly asked = new PerTrial(() => new Map<string, Promise<SubjectCipher | undefined>>());

  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly environment: Environment,
  ) {}

  /** The key if it was looked up a moment ago. Lists name hundreds of subjects, and need not wait for each. */
  held(subject: Subject): SubjectCipher | undefined {
    return this.known(entryOf(subject));
  }

  /** Undefined when the key was destroyed or never made. @throws VaultUnavailable, VaultSealBroken */
  async find(subject: Subject): Promise<SubjectCipher | undefined> {
    const name = entryOf(subject);
    const known = this.known(name);
    if (known !== undefined) return known;
    const asked = this.asked.now.get(name);
    if (asked !== undefined) return asked;
    const now = this.clock.now();
    const found = this.vault.open(name).then((key) => this.remember(name, key, now));
    this.asked.now.set(name, found);
    return found.finally(() => {
      if (this.asked.now.get(name) === found) this.asked.now.delete(name);
    });
  }

  /** Makes the key if there was never one. Undefined when it was destroyed. @throws VaultUnavailable, VaultSealBroken */
  async make(subject: Subject): Promise<SubjectCipher | undefined> {
    const name = entryOf(subject);
    const known = this.known(name);
    if (known !== undefined) return known;
    const asked = this.clock.now();
    const present = await this.vault.open(name);
    if (present !== undefined) return this.remember(name, present, asked);
    const key = randomBytes(32);
    if (await this.vault.seal(name, key, { ifAbsent: true })) return this.remember(name, key, asked);
    // Another process made it, or erased the subject, a moment ago.
    return this.remember(name, await this.vault.open(name), asked);
  }

  /** The old key is erased from the vault's files when it resolves. May be repeated. @throws VaultUnavailable */
  async destroy(subject: Subject): Promise<void> {
    const name = entryOf(subject);
    await this.vault.seal(name, new Uint8Array(0));
    this.asked.now.delete(name);
    this.ciphers.now.delete(name);
  }

  private known(name: string): SubjectCipher | undefined {
    const held = this.ciphers.now.get(name);
    return held !== undefined && this.clock.now() < held.until ? held.cipher : undefined;
  }

  /** The time counts from before the vault was asked: a key destroyed meanwhile is not used for longer because of that. */
  private remember(name: string, key: Uint8Array | undefined, asked: number): SubjectCipher | undefined {
    const before = this.ciphers.now.get(name)?.cipher;
    this.ciphers.now.delete(name);
    const cipher = key === undefined || key.length === 0 ? undefined : (before?.ifOf(key) ?? new SubjectCipher(key));
    // That there is none may change at any time, and nobody asks for that often.
    if (cipher === undefined) return undefined;
    const oldest = this.ciphers.now.size >= mostHeld ? this.ciphers.now.keys().next().value : undefined;
    if (oldest !== undefined) this.ciphers.now.delete(oldest);
    this.ciphers.now.set(name, {
      cipher,
      until: this.environment.shared ? asked + trustedMs : Number.POSITIVE_INFINITY,
    });
    return cipher;
  }
}

const entryOf = ({ workspaceId, category, id }: Subject) => `personal/${workspaceId}/${category}.${id}`;
