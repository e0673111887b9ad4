import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../kernel/json/json.js';
import { Clock } from '../../ports/clock.port.js';
import { Leases, type LivingProcess } from '../../ports/leases.port.js';
import { LeaseKeeper } from './lease-keeper.js';
import { ProcessName } from './process-name.js';

type Settings = Readonly<Record<string, string>>;

interface HeartbeatNote {
  readonly settings?: Settings;
  /** Number of heartbeats of the process so far. If it stops changing, the process is dead. */
  readonly beats?: number;
  readonly joined?: boolean;
}

interface Difference {
  readonly setting: string;
  readonly theirs: string;
  readonly process: LivingProcess;
}

/** Some settings must be equal in all processes that share stores; a process that differs in one is not admitted. */
@Injectable()
export class ClusterMembership {
  private beats = 0;
  private joined = false;

  constructor(
    private readonly leases: Leases,
    private readonly keeper: LeaseKeeper,
    private readonly process: ProcessName,
    private readonly clock: Clock,
  ) {}

  /**
   * A killed process remains registered for a while, so a process is treated as alive only if its beat count changes.
   * @throws Error that names the differing setting; this process is then not registered
   */
  async join(settings: Settings, note: () => JsonObject): Promise<void> {
    const dead = await this.refuseDifferingSettings(settings);
    await this.keeper.begin(() => ({ ...note(), settings, beats: this.beats++, joined: this.joined }));
    await this.settleRace(settings, dead);
    this.joined = true;
  }

  private async refuseDifferingSettings(settings: Settings): Promise<ReadonlySet<string>> {
    const seen = new Map<string, number | undefined>();
    for (;;) {
      const differing = await this.differing(settings);
      for (const one of differing) {
        const { name } = one.process;
        const { beats } = noteOf(one.process);
        if (seen.has(name) && seen.get(name) !== beats) throw new Error(sentence(one, settings));
        seen.set(name, beats);
      }
      if (differing.length === 0) return new Set(seen.keys());
      await this.pause();
    }
  }

  /**
   * If processes with different settings start at once, a process that has already joined stays; if none has, the one
   * whose name sorts first stays.
   */
  private async settleRace(settings: Settings, dead: ReadonlySet<string>): Promise<void> {
    for (;;) {
      const others = (await this.differing(settings)).filter(({ process }) => !dead.has(process.name));
      if (others.length === 0) return;
      const staying = others.find(({ process }) => noteOf(process).joined || process.name < this.process.value);
      if (staying !== undefined) {
        await this.keeper.stop();
        throw new Error(sentence(staying, settings));
      }
      await this.pause();
    }
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => this.clock.after(this.leases.beatEveryMs / 2, resolve));
  }

  private async differing(ours: Settings): Promise<readonly Difference[]> {
    const all = await this.leases.processes();
    return all
      .filter(({ name, silent }) => name !== this.process.value && !silent)
      .flatMap((process) => {
        const theirs = noteOf(process).settings ?? {};
        const setting = Object.keys(ours).find((one) => theirs[one] !== undefined && theirs[one] !== ours[one]);
        return setting === undefined ? [] : [{ setting, theirs: theirs[setting] ?? '', process }];
      });
  }
}

const noteOf = ({ note }: LivingProcess): HeartbeatNote => note as HeartbeatNote;

const shown = (value: string | undefined) => value || 'not set';

function sentence({ setting, theirs, process }: Difference, ours: Settings): string {
  return (
    `${setting} is ${shown(ours[setting])} here and ${shown(theirs)} in the process ${process.name}, which shares these ` +
    'stores: set the same value in all of them. To change it, stop all the others first.'
  );
}
