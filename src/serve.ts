import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Environment } from './config/environment.js';
import { unreachableAddress } from './config/reachable-address.js';
import { ServiceLogger } from './config/service-logger.js';
import type { StopSignals } from './config/stop-signals.js';
import { reasonOf } from './kernel/reason.js';
import { Service } from './service.js';
import { assemble, listen } from './start.js';
import { stop } from './stop.js';

/** After a stop signal, the process ends once everything that was acknowledged is on disk. */
export async function serve(signals: StopSignals): Promise<void> {
  try {
    const logger = new ServiceLogger();
    const app = await assemble({}, logger);
    const environment = app.get(Environment);
    logger.level(environment.logLevel);
    await app.init();
    // Listens before the start is complete, so that a supervisor can ask what the start is waiting for.
    await listenAt(app, environment);
    const founded = await app.get(Service).start();
    signals.drainBy(() => stop(app));
    const address = await app.getUrl();
    const unreachable = unreachableAddress(environment);
    if (unreachable !== undefined) say(unreachable);
    say(`Countersign listens on ${address} (documents: ${address}/api/docs)`);
    if (founded !== undefined) say(founded.given ? ownerGiven : ownerKey(founded.ownerKey));
  } catch (error) {
    process.stderr.write(`Countersign did not start: ${reasonOf(error)}\n`);
    process.exit(1);
  }
}

async function listenAt(app: NestFastifyApplication, { port, host }: Environment): Promise<void> {
  try {
    await listen(app, port, host);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    await app.close();
    throw new Error(`it cannot listen on ${host}:${port} (${code}); choose another PORT or HOST.`);
  }
}

const ownerGiven = 'The Owner key is the one you gave as BOOTSTRAP_OWNER_KEY.';

const ownerKey = (key: string) => `Owner key, shown this once: ${key}`;

const say = (line: string) => process.stdout.write(`${line}\n`);
