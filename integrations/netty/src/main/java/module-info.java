/** Netty channels on Fairlead: the byte streams of Netty's applications over shared memory, RDMA or TCP. */
module io.fairlead.netty {
    requires transitive io.fairlead;
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires transitive io.netty.transport;
    requires static org.jspecify;
    requires org.slf4j;

    exports io.fairlead.netty;
}
