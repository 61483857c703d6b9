package io.fairlead.internal.providers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Providers that the service loader names and cannot make. */
final class TransportProvidersTest {
    private static final String CAUSE = "made to fail";

    @TempDir
    private Path folder;

    @Test
    void shouldListProvidersThatCannotBeLoadedAndKeepTheOthers() throws IOException {
        List<TransportProvider> found = present("no.such.Provider", Throwing.class.getName(), Sound.class.getName());
        assertEquals(
                List.of("broken-1", "broken-2", "sound"),
                found.stream().map(TransportProvider::name).sorted().toList());
        for (TransportProvider provider : found) {
            boolean sound = provider.name().equals("sound");
            assertEquals(sound, provider.availability().available());
            assertEquals(List.of(), provider.configKeys());
            assertEquals(sound, provider.diagnose().isEmpty());
        }
        String causes = found.stream()
                .map(provider -> provider.availability().cause())
                .toList()
                .toString();
        assertTrue(causes.contains("no.such.Provider") && causes.contains(CAUSE), causes);
    }

    @Test
    void shouldFindNoneWhereThereIsNone() throws IOException {
        assertFalse(present("# nothing").stream()
                .anyMatch(provider -> provider.name().equals("sound")));
    }

    private List<TransportProvider> present(String... names) throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(TransportProvider.class.getName()), String.join("\n", names));
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, before)) {
            Thread.currentThread().setContextClassLoader(loader);
            return TransportProviders.present();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /** Cannot be made. */
    public static final class Throwing implements TransportProvider {
        /** Throws. */
        public Throwing() {
            throw new UnsatisfiedLinkError(CAUSE);
        }

        @Override
        public String name() {
            return "throwing";
        }

        @Override
        public Availability availability() {
            return Availability.AVAILABLE;
        }

        @Override
        public List<ConfigKey<?>> configKeys() {
            return List.of();
        }

        @Override
        public Transport open(TransportSetup setup) {
            throw new AssertionError("opened though it cannot be made");
        }
    }

    /** Nothing is wrong with it. */
    public static final class Sound implements TransportProvider {
        /** Made by the service loader. */
        public Sound() {}

        @Override
        public String name() {
            return "sound";
        }

        @Override
        public Availability availability() {
            return Availability.AVAILABLE;
        }

        @Override
        public List<ConfigKey<?>> configKeys() {
            return List.of();
        }

        @Override
        public Transport open(TransportSetup setup) {
            throw new AssertionError("not opened here");
        }
    }
}
