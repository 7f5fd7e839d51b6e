"""What carries messages: SQS, Redis and RabbitMQ, sending, redelivery, and what was put aside."""
