import 'reflect-metadata';
import { All, Body, Controller, HttpCode, HttpException, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type ErrorRequestHandler, raw } from 'express';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

@Controller('callbacks')
class CallbacksController {
  @All()
  @HttpCode(200)
  async receive(@Body() body: Buffer = Buffer.alloc(0)): Promise<string> {
    // The path below, of express.raw, has to be the whole one: with a global prefix, that is part of it.
    if (!Buffer.isBuffer(body)) throw new Error('Nest has parsed it: the path of raw() is another');
    const { notification, error } = safeParseNotification(body);
    if (error) {
      const status = await keepRefused(body, error);
      throw new HttpException(
        error.issues.map(({ code }) => code),
        status,
      );
    }
    await settleOnce(idempotencyKey(notification), notification);
    return 'ok';
  }
}

@Module({ controllers: [CallbacksController] })
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule);
// Not `rawBody: true`: with it, Nest still parses first, and answers a body that is no JSON itself.
const bytes = raw({
  limit: '64kb',
  type({ headers }) {
    delete headers['content-encoding']; // or what is labelled wrongly would be answered with 415
    return true;
  },
});
const log: ErrorRequestHandler = (error, _request, _response, next) => {
  console.error(error); // Nest only answers, such as 413
  next(error);
};
app.use('/callbacks', bytes, log);
await app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
