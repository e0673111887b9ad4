import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../kernel/json/json.js';
import { Clock } from '../../ports/clock.port.js';
import { Leases, type LivingProcess } from '../../ports/leases.port.js';
import { LeaseKeeper } from './lease-keeper.js';
import { ProcessName } from './process-name.js';

type Settings = Readonly<Record<string, string>>;

/** What heartbeats tell so that others can compare. */
interface Told {
  readonly settings?: Settings;
  /** Another at each heartbeat: a process that has died tells the same for ever. */
  readonly beats?: number;
  readonly joined?: boolean;
}

interface Difference {
  readonly setting: string;
  readonly theirs: string;
  readonly process: LivingProcess;
}

/** Lets this process join those that share its stores, if the settings that must be the same everywhere are. */
@Injectable()
export class Joining {
  private beats = 0;
  private joined = false;

  constructor(
    private readonly leases: Leases,
    private readonly keeper: LeaseKeeper,
    private readonly process: ProcessName,
    private readonly clock: Clock,
  ) {}

  /**
   * Registers this process; its heartbeats carry `note`. A process that was killed is still registered: only one that
   * gives a sign of life counts.
   * @throws Error one sentence that names the setting; this process is not registered then
   */
  async join(settings: Settings, note: () => JsonObject): Promise<void> {
    const dead = await this.nobodyDiffers(settings);
    await this.keeper.begin(() => ({ ...note(), settings, beats: this.beats++, joined: this.joined }));
    await this.mustStay(settings, dead);
    this.joined = true;
  }

  /** Answers the differing processes that gave no sign of life until they were taken for dead. @throws Error */
  private async nobodyDiffers(settings: Settings): Promise<ReadonlySet<string>> {
    const seen = new Map<string, number | undefined>();
    for (;;) {
      const differing = await this.differing(settings);
      for (const one of differing) {
        const { name } = one.process;
        const { beats } = toldBy(one.process);
        if (seen.has(name) && seen.get(name) !== beats) throw new Error(sentence(one, settings));
        seen.set(name, beats);
      }
      if (differing.length === 0) return new Set(seen.keys());
      await this.pause();
    }
  }

  /** Two that begin at the same moment meet here. The one that has joined stays; if neither has, that of the lesser name. */
  private async mustStay(settings: Settings, dead: ReadonlySet<string>): Promise<void> {
    for (;;) {
      const others = (await this.differing(settings)).filter(({ process }) => !dead.has(process.name));
      if (others.length === 0) return;
      const staying = others.find(({ process }) => toldBy(process).joined || process.name < this.process.value);
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
        const theirs = toldBy(process).settings ?? {};
        // An older version may not compare all of them.
        const setting = Object.keys(ours).find((one) => theirs[one] !== undefined && theirs[one] !== ours[one]);
        return setting === undefined ? [] : [{ setting, theirs: theirs[setting] ?? '', process }];
      });
  }
}

const toldBy = ({ note }: LivingProcess): Told => note as Told;

const shown = (value: string | undefined) => value || 'not set';

function sentence({ setting, theirs, process }: Difference, ours: Settings): string {
  return (
    `${setting} is ${shown(ours[setting])} here and ${shown(theirs)} in the process ${process.name}, which shares these ` +
    'stores: give all of them the same value, or stop all the others first if it is to be changed.'
  );
}
