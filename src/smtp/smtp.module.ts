import { Module } from '@nestjs/common';
import { MailIn } from './mail-in.js';
import { MailIngress } from './mail-ingress.js';
import { MailRecipients } from './mailhook-addresses.js';

@Module({ providers: [MailIn, MailIngress, MailRecipients] })
export class SmtpModule {}
