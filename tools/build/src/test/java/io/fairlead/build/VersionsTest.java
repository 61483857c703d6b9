package io.fairlead.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The versions that documents name are those that the build takes. */
@Timeout(120)
final class VersionsTest {
    private static String text(String file) throws IOException {
        return Files.readString(Repository.root().resolve(file));
    }

    private static String property(String name) throws IOException {
        Matcher property =
                Pattern.compile("<" + Pattern.quote(name) + ">([^<]+)</").matcher(text("pom.xml"));
        assertTrue(property.find(), () -> "no property of the build: " + name);
        return property.group(1);
    }

    @Test
    void shouldNameTheLibrariesThatTheAdaptersAreTestedWith() throws IOException {
        String adapters = text("docs/adapters.md");
        Matcher named = Pattern.compile(
                        "tested with Netty (\\S+), gRPC (\\S+), Arrow (\\S+) and\\s+Reactor Netty (\\d\\S*\\d)[.\\s]")
                .matcher(adapters);
        assertTrue(named.find(), "docs/adapters.md names no versions any more");
        String netty = property("netty.version");
        assertEquals(netty, named.group(1) + ".Final");
        assertEquals(property("grpc.version"), named.group(2));
        assertEquals(property("arrow.version"), named.group(3));
        assertEquals(property("reactor-netty.version"), named.group(4));
        Matcher bom = Pattern.compile("io\\.netty:netty-bom:([^`\\s]+)").matcher(adapters);
        assertTrue(bom.find(), "docs/adapters.md names no BOM of Netty any more");
        assertEquals(netty, bom.group(1));
    }
}
