package io.fairlead.internal.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import org.junit.jupiter.api.Test;

class ConnectRefusalTest {
    private static final InetSocketAddress PEER = InetSocketAddress.createUnresolved("peer.example", 7400);

    @Test
    void shouldAskWhetherThePeerRunsWhenItRefuses() {
        FairleadException refused = ClientHandshake.refused(PEER, new ConnectException("Connection refused"));
        assertEquals(Reason.CONNECTION_REFUSED, refused.reason());
        assertMentions("peer=peer.example:7400", refused);
        assertMentions("is the peer running", refused);
    }

    @Test
    void shouldNotAskForThePeerWhenNoLocalPortIsLeft() {
        FairleadException full = ClientHandshake.refused(PEER, new BindException("Cannot assign requested address"));
        assertEquals(Reason.LIMIT_REACHED, full.reason());
        assertMentions("peer=peer.example:7400", full);
        assertMentions("Cannot assign requested address", full);
        assertMentions("net.ipv4.ip_local_port_range", full);
        assertFalse(String.valueOf(full.getMessage()).contains("is the peer running"), full::getMessage);
    }

    @Test
    void shouldNotAskForThePeerWhenNoDescriptorIsLeft() {
        FairleadException none = ClientHandshake.refused(PEER, new SocketException("Too many open files"));
        assertEquals(Reason.LIMIT_REACHED, none.reason());
        assertMentions("peer=peer.example:7400", none);
        assertMentions("ulimit -n", none);
        FairleadException ofSystem =
                ClientHandshake.refused(PEER, new SocketException("Too many open files in system"));
        assertEquals(Reason.LIMIT_REACHED, ofSystem.reason());
        assertMentions("fs.file-max", ofSystem);
    }

    @Test
    void shouldSayThatMemoryIsShort() {
        FairleadException failure = HandshakeFailure.of(PEER, new OutOfMemoryError("Cannot reserve 65536 bytes"));
        assertEquals(Reason.LIMIT_REACHED, failure.reason());
        assertMentions("Cannot reserve 65536 bytes", failure);
        assertMentions("-XX:MaxDirectMemorySize", failure);
    }

    private static void assertMentions(String words, FairleadException failure) {
        assertTrue(String.valueOf(failure.getMessage()).contains(words), failure::getMessage);
    }
}
