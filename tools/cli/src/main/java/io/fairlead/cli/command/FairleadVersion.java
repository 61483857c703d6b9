package io.fairlead.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Returns the version that the build wrote beside this class. */
public final class FairleadVersion implements IVersionProvider {
    /** Creates the provider, for picocli and for reports. */
    public FairleadVersion() {}

    @Override
    public String[] getVersion() throws IOException {
        Properties properties = new Properties();
        try (InputStream resource = FairleadVersion.class.getResourceAsStream("version.properties")) {
            properties.load(resource);
        }
        return new String[] {
            "fairlead " + properties.getProperty("version"),
            "java " + Runtime.version() + " (" + System.getProperty("java.vendor") + ")"
        };
    }
}
