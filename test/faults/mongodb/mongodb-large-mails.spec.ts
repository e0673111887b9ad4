import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startApp, type TestApp } from '../../support/app.js';
import { takes } from '../../support/clocks/delays.js';
import { type Engines, startEngines } from '../../support/engines.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/mail/free-port.js';
import { hooked, mailsOf, runsOf } from '../../support/mail/mailhooks.js';
import { deliver } from '../../support/mail/smtp-client.js';
import { itTakesAway, standIn } from '../../support/on-stand-ins.js';

interface Mail {
  readonly messageId: string;
  readonly subject: string;
  readonly status: string;
}

/** A mail of almost the maximum size. */
const lines = Math.floor((24.5 * 1024 * 1024) / 78);
const large = (name: string): Buffer =>
  Buffer.from(
    `From: Ada <ada@example.com>\r\nSubject: ${name}\r\nMessage-ID: <${name}@example.com>\r\n\r\n` +
      `${name.padEnd(76, 'x')}\r\n`.repeat(lines),
  );

describe('mails of 25 MB, while the primary of MongoDB steps down,', () => {
  let engines: Engines;
  let app: TestApp;
  let port: number;
  let beside: MongoClient;
  beforeAll(async () => {
    engines = await startEngines();
    port = await freePort();
    app = await startApp({ engines, environment: { SMTP_IN_PORT: String(port) } });
    beside = new MongoClient(engines.environment['MONGODB_URL'] ?? '', {
      readConcern: { level: 'majority' },
      writeConcern: { w: 'majority' },
    });
  }, 60_000);
  afterAll(async () => {
    await beside.close();
    await app.close();
    await engines.close();
  });

  itTakesAway.mongo(
    'are stored once each, or returned to senders who repeat them, and leave no orphaned chunk',
    async () => {
      const mongo = standIn(engines.mongo);
      const { id, fnId, address } = await hooked(app, 'return 1');
      let stepsDown = true;
      let steps = 0;
      const stepping = (async () => {
        while (stepsDown) {
          mongo.elect(undefined);
          steps += 1;
          await takes(300);
          mongo.elect(0);
          await takes(900);
        }
      })();
      // In addition, one insert fails after three documents, and so does its repetition.
      mongo.fault({ on: 'insert', collection: 'blobs.chunks', times: 2, mishap: { doneFirst: 3, thenCode: 11_602 } });
      const kept = async (name: string) => {
        for (;;) {
          const reply = await deliver(port, address, large(name));
          if (reply.startsWith('250')) return;
          if (!reply.startsWith('4') && reply !== '') throw new Error(`A mail was answered ${reply}`);
          await takes(200);
        }
      };
      const names = ['one', 'two', 'three'];
      await Promise.all(names.map(kept));
      stepsDown = false;
      await stepping;
      expect([mongo.faults, steps > 0]).toEqual([0, true]);

      const mails = await eventually(
        () => mailsOf(app, id),
        (all) =>
          names.every((name) =>
            all.some((one: Mail) => one.messageId === `<${name}@example.com>` && one.status === 'ok'),
          ),
        60_000,
      );
      expect(
        mails
          .filter(({ status }: Mail) => status !== 'duplicate')
          .map(({ subject }: Mail) => subject)
          .sort(),
      ).toEqual([...names].sort());
      expect((await runsOf(app, fnId)).map(({ status }: { status: string }) => status)).toEqual(
        names.map(() => 'success'),
      );
      const blobs = beside.db(engines.environment['MONGODB_DATABASE'] ?? '');
      const files = await blobs.collection('blobs.files').find({}).toArray();
      const chunks = await blobs
        .collection('blobs.chunks')
        .find({}, { projection: { files_id: 1 } })
        .toArray();
      const known = new Set(files.map(({ _id }) => String(_id)));
      expect(chunks.filter(({ files_id: file }) => !known.has(String(file)))).toEqual([]);
      const isWhole = (one: Record<string, unknown>) => (one['metadata'] as { state?: string }).state === undefined;
      const whole = files.filter((one) => isWhole(one) && one['length'] > 20_000_000);
      expect(whole).toHaveLength(mails.length);
    },
    240_000,
  );
});
