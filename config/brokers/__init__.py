"""Message brokers (SQS, Redis, RabbitMQ): sending, redelivery and dead-letter queues."""
