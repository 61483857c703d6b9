package io.fairlead.netty.samples;

import io.fairlead.FairleadConfig;
import io.fairlead.netty.FairleadIoHandler;
import io.fairlead.netty.FairleadServerSocketChannel;
import io.fairlead.netty.FairleadSocketChannel;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** A column of numbers by Arrow Flight, over shared memory, RDMA or TCP. */
final class FlightSample {
    private FlightSample() {}

    /** The sum of a column that comes from the server. */
    @SuppressWarnings("try") // Closing a client may be interrupted, which here ends the sample.
    static long sum(FairleadConfig config, int rows) throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, FairleadIoHandler.newFactory(config));
        try (BufferAllocator memory = new RootAllocator();
                // tag::server
                FlightServer server = FlightServer.builder(
                                memory, Location.forGrpcInsecure("localhost", 0), new Numbers(memory, rows))
                        .transportHint("netty.channelType", FairleadServerSocketChannel.class)
                        .transportHint("netty.bossEventLoopGroup", loops)
                        .transportHint("netty.workerEventLoopGroup", loops)
                        .build()
                        .start()
                // end::server
                ) {
            // tag::client
            ManagedChannel channel = NettyChannelBuilder.forAddress("localhost", server.getPort())
                    .channelType(FairleadSocketChannel.class, InetSocketAddress.class)
                    .eventLoopGroup(loops)
                    .usePlaintext()
                    .build();
            // end::client
            try (FlightClient client = FlightGrpcUtils.createFlightClient(memory, channel);
                    FlightStream stream = client.getStream(new Ticket(new byte[0]))) {
                long sum = 0;
                while (stream.next()) {
                    BigIntVector column = (BigIntVector) stream.getRoot().getVector("number");
                    for (int i = 0; i < column.getValueCount(); i++) {
                        sum += column.get(i);
                    }
                }
                return sum;
            }
        } finally {
            loops.shutdownGracefully();
        }
    }

    /** The numbers from 0 on. */
    private static final class Numbers extends NoOpFlightProducer {
        private final BufferAllocator memory;
        private final int rows;

        Numbers(BufferAllocator memory, int rows) {
            this.memory = memory;
            this.rows = rows;
        }

        @Override
        public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
            try (BigIntVector column = new BigIntVector("number", memory)) {
                column.allocateNew(rows);
                for (int i = 0; i < rows; i++) {
                    column.set(i, i);
                }
                column.setValueCount(rows);
                try (VectorSchemaRoot root = new VectorSchemaRoot(List.of(column))) {
                    root.setRowCount(rows);
                    listener.start(root);
                    listener.putNext();
                    listener.completed();
                }
            }
        }
    }
}
