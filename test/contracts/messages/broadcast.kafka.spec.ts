import { randomUUID } from 'node:crypto';
import { KafkaBroadcast } from '../../../src/adapters/broadcast/kafka/kafka-broadcast.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { describeKafka } from '../../support/kafka/describe-kafka.js';
import { broadcastContract, Heard } from './broadcast.contract.js';

describeKafka((cluster) => {
  const two = () => {
    const options = {
      brokers: cluster().brokers,
      clock: new SystemClock(),
      namespace: `countersign-test-${randomUUID()}`,
    };
    const [here, elsewhere] = [new KafkaBroadcast(options), new KafkaBroadcast(options)];
    return { here, elsewhere, close: async () => void (await Promise.all([here.close(), elsewhere.close()])) };
  };

  broadcastContract('kafka', async () => two());

  it('messages of another log are not delivered', async () => {
    const { here, elsewhere, close } = two();
    here.belongTo('log_1');
    elsewhere.belongTo('log_2');
    const heard = await new Heard().on(here);
    await elsewhere.publish({ n: 1 });
    await here.publish({ n: 2 });
    expect(await heard.until(2)).toEqual([2]);
    await close();
  }, 60_000);
});
