package io.fairlead.system.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.module.ResolvedModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests run on the class path; this one proves that the same jars also fit together on the module path. */
@Timeout(60)
final class ModulePathTest {
    private static final String COMMAND = "io.fairlead.cli.FairleadCommand";

    @Test
    void shouldResolveAndLoadEveryModuleFromTheModulePath() throws ClassNotFoundException {
        Configuration resolved = ModuleLayer.boot()
                .configuration()
                .resolveAndBind(
                        ModuleFinder.of(),
                        ModuleFinder.of(modulePath()),
                        Set.of("io.fairlead.cli", "io.fairlead.testkit.layers", "io.fairlead.transport.tcp"));
        ModuleLayer layer =
                ModuleLayer.boot().defineModulesWithOneLoader(resolved, ClassLoader.getPlatformClassLoader());

        Class<?> command = layer.findLoader("io.fairlead.cli").loadClass(COMMAND);

        assertEquals("io.fairlead.cli", command.getModule().getName());
        Set<String> names =
                resolved.modules().stream().map(ResolvedModule::name).collect(Collectors.toSet());
        assertTrue(names.contains("io.fairlead"), names::toString);
    }

    /** Test classes stay behind: they share packages with the main classes that they test. */
    private static Path[] modulePath() {
        return Pattern.compile(Pattern.quote(File.pathSeparator))
                .splitAsStream(System.getProperty("java.class.path"))
                .map(Path::of)
                .filter(entry -> entry.toString().endsWith(".jar") || Files.exists(entry.resolve("module-info.class")))
                .toArray(Path[]::new);
    }
}
