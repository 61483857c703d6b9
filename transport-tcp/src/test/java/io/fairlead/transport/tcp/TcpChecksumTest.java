package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.ConnectionContract;
import io.fairlead.testkit.contract.GracefulCloseContract;
import io.fairlead.testkit.contract.NetworkContract;
import io.fairlead.testkit.contract.RemoteMemoryContract;
import io.fairlead.testkit.contract.TaggedDeliveryContract;
import io.fairlead.testkit.contract.TransportUnderTest;
import org.junit.jupiter.api.Nested;

/** The suites that move bytes in every way, with checksums. */
class TcpChecksumTest {
    private static TransportUnderTest checksummed() {
        return new TcpUnderTest(config -> config.with(TcpProvider.CHECKSUM, "on"));
    }

    @Nested
    class Delivery extends TaggedDeliveryContract {
        @Override
        protected TransportUnderTest transport() {
            return checksummed();
        }
    }

    @Nested
    class Memory extends RemoteMemoryContract {
        @Override
        protected TransportUnderTest transport() {
            return checksummed();
        }
    }

    @Nested
    class Connecting extends ConnectionContract {
        @Override
        protected TransportUnderTest transport() {
            return checksummed();
        }
    }

    @Nested
    class Closing extends GracefulCloseContract {
        @Override
        protected TransportUnderTest transport() {
            return checksummed();
        }
    }

    @Nested
    class Network extends NetworkContract {
        @Override
        protected TransportUnderTest transport() {
            return checksummed();
        }
    }
}
