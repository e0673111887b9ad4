// Mails over SMTP: acknowledged once on disk, parsed, and run. Then kill -9 while mails arrive.
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../test/support/mail/free-port.ts';
import { mailTroubles, setMailScene } from '../../test/support/mail/kill-mails.ts';
import { sendMails } from '../../test/support/mail/smtp-client.ts';
import { startServiceProcess } from '../../test/support/service-process.ts';
import { scaled } from '../support/scale.mjs';
import { discard, scratch } from '../support/servers.mjs';
import { table } from '../support/table.mjs';

const named = (kind, count) => Array.from({ length: count }, (_, at) => `${kind}-${at}`);

async function started(dataDir, port) {
  const rates = { SMTP_IN_CLIENT_RATE: '1000000', SMTP_IN_HOOK_RATE: '1000000' };
  return startServiceProcess({ dataDir, environment: { SMTP_IN_PORT: String(port), ...rates } });
}

/** Mails of a mailhook and runs of a function keep their order, so waiting for the last is enough. */
async function untilRun(service, scenes) {
  for (const { mailhookId } of scenes) {
    for (;;) {
      const { body } = await service.call('automations/listInboundEmails', { mailhookId, limit: 1 });
      if (body[0]?.status === 'ok') break;
      await setTimeout(20);
    }
  }
}

async function speed({ count, connections, mailhooks }) {
  const [dataDir, port] = [scratch(), await freePort()];
  const service = await started(dataDir, port);
  try {
    const scenes = [];
    for (let at = 0; at < mailhooks; at += 1) scenes.push(await setMailScene(service, `Mail ${at}`));
    const send = (kind, all) =>
      Promise.all(
        scenes.map(({ address }) => sendMails(port, address, named(kind, all / mailhooks), connections / mailhooks)),
      );
    await send('warm', scaled(320, 2));
    await untilRun(service, scenes);
    const began = performance.now();
    await send('mail', count);
    const acknowledged = performance.now() - began;
    await untilRun(service, scenes);
    const run = performance.now() - began;
    return { acknowledged: (count / acknowledged) * 1_000, run: (count / run) * 1_000 };
  } finally {
    await service.end('SIGTERM');
    discard(dataDir);
  }
}

async function killed({ count, connections }) {
  const [dataDir, port] = [scratch(), await freePort()];
  const acknowledged = new Set();
  let kills = 0;
  let service = await started(dataDir, port);
  try {
    const scene = await setMailScene(service);
    const names = named('mail', count);
    while (acknowledged.size < count) {
      const sending = sendMails(
        port,
        scene.address,
        names.filter((name) => !acknowledged.has(name)),
        connections,
      );
      const last = kills >= scaled(5);
      if (!last) {
        await setTimeout(300 + Math.random() * 300);
        await service.end('SIGKILL');
        kills += 1;
      }
      for (const name of await sending) acknowledged.add(name);
      if (!last) service = await started(dataDir, port);
    }
    return { kills, acknowledged: acknowledged.size, ...(await mailTroubles(service, scene, acknowledged)) };
  } finally {
    await service.end('SIGTERM');
    discard(dataDir);
  }
}

export async function mailIn({
  count = scaled(1_600, 4),
  killCount = scaled(1_000, 20),
  connections = scaled(16, 2),
} = {}) {
  const one = await speed({ count, connections, mailhooks: 1 });
  const many = await speed({ count, connections, mailhooks: connections });
  table(`mail in, ${count} mails over ${connections} connections, per second`, [
    ['', 'to one mailhook', `to ${connections} mailhooks`],
    ['acknowledged: raw mail and event on disk', one.acknowledged.toFixed(0), many.acknowledged.toFixed(0)],
    ['parsed and run', one.run.toFixed(0), many.run.toFixed(0)],
  ]);
  const outcome = await killed({ count: killCount, connections });
  table(`kill -9, ${outcome.kills} times while ${killCount} mails come in`, [
    ['acknowledged', 'kept', 'runs', 'runs with a second attempt', 'lost or run twice'],
    [outcome.acknowledged, outcome.kept, outcome.runs, outcome.retried, outcome.troubles.length],
  ]);
  for (const sentence of outcome.troubles.slice(0, 20)) process.stdout.write(`trouble: ${sentence}\n`);
}
