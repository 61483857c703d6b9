/** The transport between processes of one host: shared memory. */
module io.fairlead.transport.shm {
    requires static org.jspecify;
    requires io.fairlead;
    requires org.slf4j;

    provides io.fairlead.spi.TransportProvider with
            io.fairlead.transport.shm.ShmProvider;
}
