import { Environment } from './config/environment.js';
import { ServiceLogger } from './config/service-logger.js';
import { Service } from './service.js';
import { assemble } from './start.js';

/** Starts, listens, says where; ends on SIGINT or SIGTERM when what was acknowledged is on disk. */
export async function serve(): Promise<void> {
  try {
    const logger = new ServiceLogger();
    const app = await assemble({}, logger);
    const environment = app.get(Environment);
    logger.level(environment.logLevel);
    app.enableShutdownHooks();
    await app.init();
    const founded = await app.get(Service).start();
    await app.listen(environment.port, environment.host);
    const address = await app.getUrl();
    say(`Countersign listens on ${address} (documents: ${address}/api/docs)`);
    if (founded !== undefined) say(founded.given ? ownerGiven : ownerKey(founded.ownerKey));
  } catch (error) {
    process.stderr.write(`Countersign did not start: ${error instanceof Error ? error.message : 'unknown reason'}\n`);
    process.exit(1);
  }
}

const ownerGiven = 'The Owner key is the one you gave as BOOTSTRAP_OWNER_KEY.';

const ownerKey = (key: string) => `Owner key, shown this once: ${key}`;

const say = (line: string) => process.stdout.write(`${line}\n`);
