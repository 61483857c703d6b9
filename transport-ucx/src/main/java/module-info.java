/** The UCX transport: shared memory and RDMA. */
module io.fairlead.transport.ucx {
    requires static org.jspecify;
    requires io.fairlead;
    requires jucx;
    requires org.slf4j;

    provides io.fairlead.spi.TransportProvider with
            io.fairlead.transport.ucx.UcxProvider;
}
