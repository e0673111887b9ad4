import { Global, Module } from '@nestjs/common';
import { AccountEventLog } from '../../sandbox/capabilities/account-event-log.js';
import { AccountEventRecord } from './account-event/account-event-record.js';

/** What happens in an account. */
@Global()
@Module({
  providers: [AccountEventRecord, { provide: AccountEventLog, useExisting: AccountEventRecord }],
  exports: [AccountEventLog],
})
export class AccountEventsModule {}
