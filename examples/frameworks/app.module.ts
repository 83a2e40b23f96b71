import { HttpException, Module } from '@nestjs/common';

// For the receiver of the tests, which fails with it.
Object.assign(globalThis, { HttpException });

@Module({})
export class AppModule {}
